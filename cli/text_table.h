// Rows of text: aligned columns for a terminal, tab-separated for scripts.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace goldentrace {

enum class TableStyle { aligned, tabs };

TableStyle stdout_style();  // aligned on a terminal, else tabs

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads) : rows_{std::move(heads)} {}

  void add(const std::vector<std::string>& row);
  bool empty() const { return rows_.size() == 1; }

  // The first line holds the heads. Cells are printable (traces/printable.h): no tab, line break or escape is left.
  void print(std::ostream& out, TableStyle style) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace goldentrace
