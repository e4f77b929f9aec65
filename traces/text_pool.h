// Distinct tapes or random states of a run by number, and those that one segment has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/hash.h"

namespace goldentrace {

// The numbers of the run. Keeps the newest texts themselves, so that a later segment can hold them again.
class TextPool {
 public:
  explicit TextPool(std::size_t most_kept) : most_kept_(most_kept) {}

  struct Added {
    std::int64_t number = 0;
    bool is_new = false;
  };
  Added add(const std::string& text) {
    const auto number = static_cast<std::int64_t>(numbers_.size());
    const auto [found, is_new] = numbers_.try_emplace(content_hash(std::as_bytes(std::span(text))), number);
    if (is_new && most_kept_ > 0) keep(text);
    return {found->second, is_new};
  }

  // nullptr: given up.
  const std::string* text(std::int64_t number) const {
    const std::int64_t first = static_cast<std::int64_t>(numbers_.size() - kept_.size());
    if (number < first || number >= static_cast<std::int64_t>(numbers_.size())) return nullptr;
    return &kept_[static_cast<std::size_t>(number - first)];
  }

 private:
  void keep(const std::string& text) {
    kept_.push_back(text);
    if (kept_.size() > most_kept_) kept_.pop_front();
  }

  std::size_t most_kept_;
  std::map<Hash128, std::int64_t> numbers_;
  std::deque<std::string> kept_;
};

// The numbers of one segment, given in the order in which it first needs each text.
class SegmentTexts {
 public:
  // -1 when `number` is none or its text is not kept. New texts are appended to `added`.
  std::int64_t local(const TextPool& pool, std::int64_t number, std::vector<std::string>& added) {
    const auto found = numbers_.find(number);
    if (found != numbers_.end()) return found->second;
    const std::string* const text = pool.text(number);
    return text == nullptr ? -1 : add(number, *text, added);
  }

  std::int64_t add(std::int64_t number, const std::string& text, std::vector<std::string>& added) {
    const auto local = static_cast<std::int64_t>(numbers_.size());
    numbers_.emplace(number, local);
    added.push_back(text);
    return local;
  }

 private:
  std::unordered_map<std::int64_t, std::int64_t> numbers_;
};

}  // namespace goldentrace
