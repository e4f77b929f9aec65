#include "cli/text_table.h"

#include <algorithm>

#include "cli/terminal.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

// Columns on the screen: UTF-8 continuation bytes take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

}  // namespace

TableStyle stdout_style() { return is_terminal(Stream::out) ? TableStyle::aligned : TableStyle::tabs; }

void TextTable::add(const std::vector<std::string>& row) {
  std::vector<std::string> cells;
  for (const std::string& cell : row) cells.push_back(printable(cell));
  rows_.push_back(std::move(cells));
}

void TextTable::print(std::ostream& out, TableStyle style) const {
  const std::vector<std::size_t> widths = column_widths(rows_);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      out << row[i];
      if (last) continue;
      out << (style == TableStyle::tabs ? "\t" : std::string(widths[i] - width(row[i]) + 2, ' '));
    }
    out << '\n';
  }
}

}  // namespace goldentrace
