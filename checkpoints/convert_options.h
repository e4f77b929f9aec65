// What a person may say about a conversion.
#pragma once

#include <cstdint>
#include <optional>

#include "checkpoints/pickle_classes.h"

namespace goldentrace {

enum class VocabularyPadding {
  cut,   // to the true size, where the checkpoint says it
  keep,  // padding rows count as tokens
};

enum class ReplicaRule {
  equal,  // copies that differ between ranks are an error
  first,  // rank 0 is taken
};

struct ReadOptions {
  std::optional<std::int64_t> heads, groups;  // for checkpoints that do not say
  std::optional<std::int64_t> vocab;          // rows of the embedding that are tokens
  VocabularyPadding padding = VocabularyPadding::cut;
  ReplicaRule replicas = ReplicaRule::equal;
  UnknownClass unknown = UnknownClass::refuse;
};

enum class MegatronLayout {
  pipe,     // Megatron-DeepSpeed: a file for each layer
  classic,  // Megatron-LM: a file for each rank
};

struct MegatronOptions {
  MegatronLayout layout = MegatronLayout::pipe;
  int version = 3;         // of classic; pipe files have none and are in version 2's order
  std::int64_t ranks = 1;  // tensor-parallel degree
  std::int64_t vocab_divisor = 128;
  std::optional<std::int64_t> padded_vocab;  // instead of the multiple
};

struct HfOptions {
  std::uint64_t shard_bytes = 5'000'000'000;
};

}  // namespace goldentrace
