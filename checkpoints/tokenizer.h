// GPT-2's byte-level BPE tokenizer from vocab.json and merges.txt: the ids of Hugging Face's tokenizers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoints/bpe_merges.h"
#include "checkpoints/word_splitter.h"

namespace goldentrace {

// Safe from several threads.
class Tokenizer {
 public:
  // A folder with both files. Error: those of the files; damaged for a vocabulary or merges that do not fit, naming the
  // entry or line. "<|endoftext|>" is a token of its own in text when the vocabulary has it, as in transformers.
  explicit Tokenizer(const std::filesystem::path& folder);

  // Broken UTF-8 is read as U+FFFD (checkpoints/utf8.h). Error(unsupported) for a byte that has no token.
  std::vector<std::int32_t> encode(std::string_view text) const;

  // The bytes of the tokens. Error(usage) for an id that is not there.
  std::string decode(std::span<const std::int32_t> ids) const;

  std::size_t size() const { return tokens_.size(); }  // one more than the largest id

 private:
  void read_vocabulary(const std::filesystem::path& path);
  void read_merges(const std::filesystem::path& path);
  void encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const;
  std::int32_t id_of(std::string_view token) const;  // -1 when absent

  WordSplitter splitter_;
  BpeMerges merges_;
  std::vector<std::string> tokens_;                    // bytes of each id; unused ids are empty
  std::unordered_map<std::string, std::int32_t> ids_;  // of the bytes
  std::array<std::int32_t, 256> byte_ids_{};           // -1 when absent
  std::int32_t end_of_text_ = -1;
};

}  // namespace goldentrace
