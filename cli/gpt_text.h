// Token ids of a text and what a trace's header says about the data.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "checkpoints/tokenizer.h"
#include "cli/id_table.h"
#include "traces/header.h"

namespace goldentrace {

// The ids of the text's tokens, one dimension. Error: those of read_text_bytes and Tokenizer::encode.
IdTable read_text_tokens(const std::filesystem::path& path, const Tokenizer& tokenizer);

// data.file_hash: content hash of the file. data.ids: the ids that are trained on, separated by spaces; a long list is
// cut after a few thousand.
Header data_facts(const std::filesystem::path& path, std::span<const std::int64_t> ids);

// data.tokenizer_hash: content hash of vocab.json, then merges.txt. data.pieces: a JSON list of the texts of data.ids;
// bytes that are no UTF-8 of their own are U+FFFD.
Header tokenizer_facts(const std::filesystem::path& folder, const Tokenizer& tokenizer,
                       std::span<const std::int64_t> ids);

// data.pieces of a text without tokenizer, whose ids are its bytes: characters of ASCII as they are, other bytes as
// \xNN.
Header byte_facts(std::span<const std::int64_t> ids);

}  // namespace goldentrace
