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

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }

  // The first line holds the heads. Tabs and line breaks inside cells become spaces.
  void print(std::ostream& out, TableStyle style) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace goldentrace
