// Cuts text into the pieces that byte-level BPE never merges across: GPT-2's pattern.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace goldentrace {

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ where \s is Unicode's White_Space. Which
// characters are letters and numbers is decided by the Unicode version of the PCRE2 that is linked. Safe from several
// threads.
class WordSplitter {
 public:
  WordSplitter();
  ~WordSplitter();
  WordSplitter(const WordSplitter&) = delete;
  WordSplitter& operator=(const WordSplitter&) = delete;

  // `text` is valid UTF-8; the pieces are consecutive and make up all of it.
  void split(std::string_view text, const std::function<void(std::string_view piece)>& body) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

}  // namespace goldentrace
