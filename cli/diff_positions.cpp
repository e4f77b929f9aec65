#include "cli/diff_positions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>

#include "cli/id_table.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::int64_t sample_number(std::string_view text, const std::string& sample) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
    throw Error(ErrorCode::usage, "--sample: '" + sample + "' is not A:B, as in 0:0");
  }
  return number;
}

}  // namespace

void add_position_options(CLI::App& command, std::filesystem::path& mask, std::string& sample) {
  command.add_option("--mask", mask, "Compare only positions where it is not 0: [batch, positions], .npy or text")
      ->type_name("FILE");
  command.add_option("--sample", sample, "Compare only sample A of the golden with sample B of the candidate")
      ->type_name("A:B");
}

PositionChoice read_positions(const std::filesystem::path& mask, const std::string& sample) {
  PositionChoice result;
  if (!sample.empty()) {
    const std::size_t colon = sample.find(':');
    const std::string_view text(sample);
    if (colon == std::string::npos) sample_number("", sample);
    result.sample = {sample_number(text.substr(0, colon), sample), sample_number(text.substr(colon + 1), sample)};
  }
  if (mask.empty()) return result;
  IdTable table = read_id_table(mask);
  if (table.shape.size() == 1) table.shape.insert(table.shape.begin(), 1);
  if (table.shape.size() != 2 || table.values.empty()) {
    throw Error(ErrorCode::usage, "a mask has two dimensions, batch and positions", {mask.string(), ""});
  }
  if (std::ranges::count(table.values, 0) == static_cast<std::ptrdiff_t>(table.values.size())) {
    throw Error(ErrorCode::usage, "no position is left to compare", {mask.string(), ""});
  }
  result.mask = std::move(table.values);
  result.shape = std::move(table.shape);
  result.name = mask.string();
  return result;
}

}  // namespace goldentrace
