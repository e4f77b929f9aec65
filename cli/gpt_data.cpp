#include "cli/gpt_data.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <memory>
#include <span>

#include "cli/gpt_text.h"
#include "cli/id_table.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

void refuse_without_ids(const RecordGptOptions& options) {
  const char* given = !options.labels.empty() ? "--labels" : !options.mask.empty() ? "--mask" : "--prefixes";
  if (options.labels.empty() && options.mask.empty() && options.prefixes.empty()) return;
  throw Error(ErrorCode::usage, std::string(given) + " needs the ids that it belongs to: --tokens or --text");
}

// Sizes that were given win; else those of the file.
void choose_sizes(const RecordGptOptions& options, const std::vector<std::int64_t>& shape, GptOptions& trainer) {
  const std::size_t dims = shape.size();
  if (dims >= 2) {
    trainer.seq_len = shape[dims - 1];
    trainer.batch_size = shape[dims - 2];
  }
  trainer.seq_len = options.seq.value_or(trainer.seq_len);
  trainer.batch_size = options.batch.value_or(trainer.batch_size);
}

std::int64_t batch_elements(const GptOptions& trainer) {
  constexpr std::int64_t most = 1'000'000'000;
  if (trainer.batch_size < 1 || trainer.seq_len < 1 || trainer.batch_size > most / trainer.seq_len) {
    throw Error(ErrorCode::usage, "--batch and --seq: impossible sizes");
  }
  return trainer.batch_size * trainer.seq_len;
}

std::unique_ptr<Tokenizer> open_tokenizer(const RecordGptOptions& options) {
  return options.tokenizer.empty() ? nullptr : std::make_unique<Tokenizer>(options.tokenizer);
}

IdTable read_ids(const RecordGptOptions& options, const Tokenizer* tokenizer) {
  if (!options.tokens.empty()) return read_id_table(options.tokens);
  return tokenizer != nullptr ? read_text_tokens(options.text, *tokenizer) : read_text_bytes(options.text);
}

// Of the ids that batches are made of.
Header facts(const RecordGptOptions& options, const Tokenizer* tokenizer, std::span<const std::int64_t> ids) {
  Header header = data_facts(options.tokens.empty() ? options.text : options.tokens, ids);
  if (tokenizer != nullptr) header.merge(tokenizer_facts(options.tokenizer, *tokenizer, ids));
  if (tokenizer == nullptr && options.tokens.empty()) header.merge(byte_facts(ids));
  return header;
}

at::Tensor slice(const IdTable& table, std::int64_t batch, const GptOptions& trainer) {
  const std::int64_t count = batch_elements(trainer);
  auto* first = const_cast<std::int64_t*>(table.values.data()) + batch * count;
  return at::from_blob(first, {trainer.batch_size, trainer.seq_len}, at::kLong).clone();
}

IdTable read_like(const fs::path& path, const IdTable& ids, const char* option) {
  IdTable table = read_id_table(path);
  if (table.values.size() == ids.values.size()) return table;
  throw Error(ErrorCode::usage,
              std::string(option) + " has " + std::to_string(table.values.size()) + " numbers for " +
                  std::to_string(ids.values.size()) + " ids; give one for each id",
              {path.string(), ""});
}

// Lengths of all sequences, [sequences, prefixes of each].
at::Tensor read_prefixes(const fs::path& path, std::int64_t sequences) {
  const IdTable table = read_id_table(path);
  const auto count = static_cast<std::int64_t>(table.values.size());
  if (count % sequences != 0) {
    throw Error(ErrorCode::usage,
                "--prefixes has " + std::to_string(count) + " numbers for " + std::to_string(sequences) +
                    " sequences; give as many for each",
                {path.string(), ""});
  }
  return at::from_blob(const_cast<std::int64_t*>(table.values.data()), {sequences, count / sequences}, at::kLong)
      .clone();
}

}  // namespace

Header read_batches(const RecordGptOptions& options, GptOptions& trainer) {
  const fs::path& path = options.tokens.empty() ? options.text : options.tokens;
  if (!options.tokenizer.empty() && options.text.empty())
    throw Error(ErrorCode::usage, "--tokenizer makes the ids of a text: give --text");
  if (path.empty()) {
    refuse_without_ids(options);
    choose_sizes(options, {}, trainer);
    return {};
  }
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(options);
  const IdTable ids = read_ids(options, tokenizer.get());
  choose_sizes(options, ids.shape, trainer);
  const std::int64_t count = static_cast<std::int64_t>(ids.values.size()) / batch_elements(trainer);
  if (count == 0) {
    throw Error(ErrorCode::usage,
                std::to_string(ids.values.size()) + " ids are too few for a batch of " +
                    std::to_string(trainer.batch_size) + " x " + std::to_string(trainer.seq_len) +
                    "; lower --batch or --seq",
                {path.string(), ""});
  }
  const IdTable labels = options.labels.empty() ? IdTable{} : read_like(options.labels, ids, "--labels");
  const IdTable mask = options.mask.empty() ? IdTable{} : read_like(options.mask, ids, "--mask");
  at::Tensor prefixes;
  if (!options.prefixes.empty()) prefixes = read_prefixes(options.prefixes, count * trainer.batch_size);
  for (std::int64_t batch = 0; batch < std::min(count, trainer.steps); ++batch) {
    const auto part = [&](const IdTable& table) {
      return table.values.empty() ? at::Tensor() : slice(table, batch, trainer);
    };
    trainer.batches.push_back({.ids = part(ids), .labels = part(labels), .mask = part(mask)});
    if (prefixes.defined())
      trainer.batches.back().prefixes = prefixes.narrow(0, batch * trainer.batch_size, trainer.batch_size);
  }
  const std::int64_t used = std::min(count, trainer.steps) * batch_elements(trainer);
  return facts(options, tokenizer.get(), std::span(ids.values).first(static_cast<std::size_t>(used)));
}

}  // namespace goldentrace
