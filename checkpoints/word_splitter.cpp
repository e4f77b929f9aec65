#include "checkpoints/word_splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

// PCRE2's own \s differs by U+180E, which is no white space since Unicode 6.3.
constexpr std::string_view space =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

std::string pattern() {
  const std::string s(space);
  return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{L}\p{N})" + s + "]+|[" + s + "]+(?![^" + s + "])|[" + s +
         "]+";
}

using MatchData = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

}  // namespace

struct WordSplitter::Code {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> compiled{nullptr, pcre2_code_free};
};

WordSplitter::WordSplitter() : code_(std::make_unique<Code>()) {
  const std::string text = pattern();
  int error = 0;
  PCRE2_SIZE at = 0;
  code_->compiled.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), PCRE2_UTF, &error, &at, nullptr));
  if (!code_->compiled)
    throw Error(ErrorCode::internal, "PCRE2 refuses the splitting pattern: error " + std::to_string(error));
  pcre2_jit_compile(code_->compiled.get(), PCRE2_JIT_COMPLETE);  // matching works without it, more slowly
}

WordSplitter::~WordSplitter() = default;

void WordSplitter::split(std::string_view text, const std::function<void(std::string_view)>& body) const {
  const MatchData match(pcre2_match_data_create_from_pattern(code_->compiled.get(), nullptr), pcre2_match_data_free);
  if (!match) throw Error(ErrorCode::internal, "out of memory");
  std::size_t position = 0;
  while (position < text.size()) {
    const int found = pcre2_match(code_->compiled.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                  position, PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED, match.get(), nullptr);
    const std::size_t end = found > 0 ? pcre2_get_ovector_pointer(match.get())[1] : position;
    if (end == position)
      throw Error(ErrorCode::internal, "the text cannot be split at byte " + std::to_string(position) +
                                           ": PCRE2 error " + std::to_string(found));
    body(text.substr(position, end - position));
    position = end;
  }
}

}  // namespace goldentrace
