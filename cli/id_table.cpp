#include "cli/id_table.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "cli/npy_reader.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::uintmax_t largest_file = 1'000'000'000;

std::string read_file(const std::filesystem::path& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  const ErrorPlace place{path.string(), ""};
  if (status.type() == std::filesystem::file_type::none) {
    throw Error(ErrorCode::input_output, "cannot open: " + failure.message(), place);
  }
  if (!std::filesystem::exists(status)) throw Error(ErrorCode::not_found, "no such file", place);
  if (!std::filesystem::is_regular_file(status)) throw Error(ErrorCode::usage, "is no regular file", place);
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (size > largest_file) throw Error(ErrorCode::unsupported, "larger than 1 GB; cut it to what is trained on", place);
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file) throw Error(ErrorCode::input_output, std::string("cannot read: ") + std::strerror(errno), place);
  if (text.empty()) throw Error(ErrorCode::damaged, "is empty", place);
  return text;
}

bool separates(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

struct Line {
  std::string file;
  std::int64_t number = 0;
};

// Appends the numbers of one line and returns how many there were.
std::int64_t parse_line(std::string_view line, std::vector<std::int64_t>& values, const Line& place) {
  std::int64_t count = 0;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && separates(line[at])) ++at;
    if (at == line.size()) return count;
    std::size_t end = at;
    while (end < line.size() && !separates(line[end])) ++end;
    std::int64_t value = 0;
    const auto [stop, failure] = std::from_chars(line.data() + at, line.data() + end, value);
    if (failure != std::errc() || stop != line.data() + end) {
      throw Error(ErrorCode::damaged,
                  "line " + std::to_string(place.number) + ": '" +
                      std::string(line.substr(at, std::min<std::size_t>(end - at, 40))) +
                      "' is no integer; write numbers separated by spaces",
                  {place.file, ""});
    }
    values.push_back(value);
    ++count;
    at = end;
  }
}

IdTable parse_text(std::string_view text, const std::string& path) {
  IdTable table;
  std::vector<std::int64_t> lengths;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++number;
    const std::int64_t count = parse_line(text.substr(0, end), table.values, {path, number});
    if (count > 0) lengths.push_back(count);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (lengths.empty()) throw Error(ErrorCode::damaged, "holds no numbers", {path, ""});
  const bool table_like = lengths.size() > 1 && std::equal(lengths.begin() + 1, lengths.end(), lengths.begin());
  table.shape = table_like ? std::vector<std::int64_t>{static_cast<std::int64_t>(lengths.size()), lengths.front()}
                           : std::vector<std::int64_t>{static_cast<std::int64_t>(table.values.size())};
  return table;
}

}  // namespace

IdTable read_id_table(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return path.extension() == ".npy" ? parse_npy_integers(bytes, path.string()) : parse_text(bytes, path.string());
}

IdTable read_text_bytes(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  IdTable table;
  for (const char c : bytes) table.values.push_back(static_cast<unsigned char>(c));
  table.shape = {static_cast<std::int64_t>(table.values.size())};
  return table;
}

}  // namespace goldentrace
