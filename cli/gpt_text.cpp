#include "cli/gpt_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "traces/error.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t most_ids = 4096;  // in a header

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw Error(ErrorCode::input_output, "cannot read", {path.string(), ""});
  return bytes;
}

std::string hash_of(const std::string& bytes) { return to_hex(content_hash(std::as_bytes(std::span(bytes)))); }

std::span<const std::int64_t> shown(std::span<const std::int64_t> ids) {
  return ids.first(std::min(ids.size(), most_ids));
}

}  // namespace

IdTable read_text_tokens(const fs::path& path, const Tokenizer& tokenizer) {
  const IdTable bytes = read_text_bytes(path);
  std::string text(bytes.values.size(), '\0');
  std::ranges::transform(bytes.values, text.begin(), [](std::int64_t byte) { return static_cast<char>(byte); });
  IdTable table;
  for (const std::int32_t id : tokenizer.encode(text)) table.values.push_back(id);
  table.shape = {static_cast<std::int64_t>(table.values.size())};
  return table;
}

Header data_facts(const fs::path& path, std::span<const std::int64_t> ids) {
  std::string text;
  for (const std::int64_t id : shown(ids)) text += (text.empty() ? "" : " ") + std::to_string(id);
  return {{"data.file_hash", hash_of(bytes_of(path))}, {"data.ids", text}};
}

Header tokenizer_facts(const fs::path& folder, const Tokenizer& tokenizer, std::span<const std::int64_t> ids) {
  Json pieces = Json::array();
  for (const std::int64_t id : shown(ids)) {
    const auto one = static_cast<std::int32_t>(id);
    pieces.push_back(tokenizer.decode({&one, 1}));
  }
  return {{"data.tokenizer_hash", hash_of(bytes_of(folder / "vocab.json") + bytes_of(folder / "merges.txt"))},
          {"data.pieces", pieces.dump(-1, ' ', false, Json::error_handler_t::replace)}};
}

Header byte_facts(std::span<const std::int64_t> ids) {
  Json pieces = Json::array();
  for (const std::int64_t id : shown(ids)) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), id < 0x80 ? "%c" : "\\x%02x", static_cast<int>(id & 0xff));
    pieces.push_back(std::string(text.data()));
  }
  return {{"data.pieces", pieces.dump()}};
}

}  // namespace goldentrace
