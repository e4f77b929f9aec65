#include "checkpoints/tokenizer.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoints/byte_alphabet.h"
#include "checkpoints/small_file.h"
#include "checkpoints/utf8.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::uint64_t longest_file = 64 << 20;
constexpr std::uint64_t most_tokens = 4'000'000;
constexpr std::string_view end_of_text = "<|endoftext|>";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::damaged, what, {.file = path.string(), .record = {}});
}

std::string shown(std::string_view text) { return "'" + printable(text.substr(0, 100)) + "'"; }

// {"token": id, …} and nothing else.
class VocabularyReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit VocabularyReader(const std::filesystem::path& path) : path_(path) {}

  bool start_object(std::size_t) override {
    if (++depth_ > 1) wrong("is an object");
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { wrong("is a list"); }
  bool end_array() override { return true; }
  bool key(std::string& name) override {
    key_ = std::move(name);
    return true;
  }
  bool number_unsigned(std::uint64_t id) override {
    if (depth_ == 0 || id >= most_tokens) wrong("has the id " + std::to_string(id));
    entries.emplace_back(key_, static_cast<std::int32_t>(id));
    return true;
  }
  bool number_integer(std::int64_t) override { wrong("has a negative id"); }
  bool number_float(double, const std::string&) override { wrong("has no whole id"); }
  bool string(std::string&) override { wrong("is a text"); }
  bool null() override { wrong("is null"); }
  bool boolean(bool) override { wrong("is a truth value"); }
  bool binary(binary_t&) override { wrong("is binary"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse(path_, "is no valid JSON at byte " + std::to_string(position));
  }

  std::vector<std::pair<std::string, std::int32_t>> entries;

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    refuse(path_, (depth_ == 0 ? std::string("the vocabulary") : "token " + shown(key_)) + " " + what);
  }

  const std::filesystem::path& path_;
  int depth_ = 0;
  std::string key_;
};

// Calls body(line number, line) for each line that is no comment and not empty.
void each_line(std::string_view text, const std::function<void(std::size_t, std::string_view)>& body) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("#version")) body(number, line);
  }
}

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& folder) {
  read_vocabulary(folder / "vocab.json");
  read_merges(folder / "merges.txt");
  for (int byte = 0; byte < 256; ++byte)
    byte_ids_[static_cast<std::size_t>(byte)] = id_of(std::string(1, static_cast<char>(byte)));
  end_of_text_ = id_of(end_of_text);
}

std::int32_t Tokenizer::id_of(std::string_view token) const {
  const auto found = ids_.find(std::string(token));
  return found == ids_.end() ? -1 : found->second;
}

void Tokenizer::read_vocabulary(const std::filesystem::path& path) {
  VocabularyReader reader(path);
  nlohmann::json::sax_parse(read_small_file(path, longest_file), &reader);
  if (reader.entries.empty()) refuse(path, "holds no tokens");
  for (const auto& [token, id] : reader.entries) {
    // Added tokens may hold any character; they are kept as they are.
    const std::string bytes = bytes_of_token(token).value_or(token);
    if (static_cast<std::size_t>(id) >= tokens_.size()) tokens_.resize(static_cast<std::size_t>(id) + 1);
    if (!std::exchange(tokens_[static_cast<std::size_t>(id)], bytes).empty())
      refuse(path, "two tokens have the id " + std::to_string(id));
    if (!ids_.emplace(bytes, id).second) refuse(path, "token " + shown(token) + " twice");
  }
}

void Tokenizer::read_merges(const std::filesystem::path& path) {
  const std::string text = read_small_file(path, longest_file);
  std::uint32_t rank = 0;
  each_line(text, [&](std::size_t number, std::string_view line) {
    const std::size_t space = line.find(' ');
    const auto where = [&] { return "line " + std::to_string(number) + " " + shown(line); };
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
      refuse(path, where() + " is no pair of tokens");
    const auto left = bytes_of_token(repaired_utf8(line.substr(0, space)));
    const auto right = bytes_of_token(repaired_utf8(line.substr(space + 1)));
    const std::int32_t a = left ? id_of(*left) : -1, b = right ? id_of(*right) : -1;
    const std::int32_t whole = a < 0 || b < 0 ? -1 : id_of(*left + *right);
    if (whole < 0) refuse(path, where() + ": not all its tokens are in vocab.json");
    if (!merges_.add(a, b, {rank++, whole})) refuse(path, where() + " for the second time");
  });
}

void Tokenizer::encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::vector<std::int32_t> word;
  splitter_.split(text, [&](std::string_view piece) {
    word.clear();
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte_ids_[byte] < 0)
        throw Error(ErrorCode::unsupported, "the vocabulary has no token for byte " + std::to_string(byte));
      word.push_back(byte_ids_[byte]);
    }
    merges_.apply(word);
    ids.insert(ids.end(), word.begin(), word.end());
  });
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  const std::string whole = repaired_utf8(text);
  std::string_view rest = whole;
  std::vector<std::int32_t> ids;
  while (!rest.empty()) {
    const std::size_t special = end_of_text_ < 0 ? std::string_view::npos : rest.find(end_of_text);
    encode_plain(rest.substr(0, special), ids);
    if (special == std::string_view::npos) break;
    ids.push_back(end_of_text_);
    rest.remove_prefix(special + end_of_text.size());
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= tokens_.size())
      throw Error(ErrorCode::usage, "no token has the id " + std::to_string(id));
    text += tokens_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace goldentrace
