// The result of a replay as plain data; text_report.h and json_report.h show it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/gate.h"
#include "traces/record.h"

namespace goldentrace {

enum class ReplayVerdict {
  bit_equal,    // every record that was judged has the same bits
  within,       // within the gate
  differs,      // out of the gate
  unsupported,  // could not be run, or not be judged: the reason says why
};
std::string_view name(ReplayVerdict verdict);  // "bit-equal", "within the gate", "differs", "unsupported"

// One record that the replay made again.
struct ReplayedTensor {
  RecordId id;  // of the record that it was judged against
  std::int32_t position = 0;
  ReplayVerdict verdict = ReplayVerdict::bit_equal;
  DType recorded_dtype = DType::float32, replayed_dtype = DType::float32;
  Shape shape;  // recorded
  Judgement judgement;
  std::string gate;  // as it applied to this pair
  // Why it is unsupported, or that the replay gave nothing.
  std::string reason;
};

// One call of one layer, forward and backward.
struct ReplayedCall {
  std::int64_t step = 0, micro = 0;
  std::int32_t rank = 0, call = 0;
  Pass pass = Pass::forward;
  std::string layer;

  ReplayVerdict verdict = ReplayVerdict::bit_equal;
  std::string reason;  // unsupported: why, with op and argument
  std::vector<ReplayedTensor> tensors;
  std::vector<std::string> notes;
  // With a tape of another trace: whether its run gave the output hashes that trace recorded. Empty: nothing to say.
  std::optional<bool> reproduced;
};

struct NotReplayed {
  std::string layer;  // "(root)"
  Pass pass = Pass::forward;
  std::int64_t calls = 0;
  std::string reason;
};

struct ReplayReport {
  std::filesystem::path trace, inputs, tape_from;  // the latter two empty when not asked for
  std::string gate;                                // as it was asked for, or the default that applied
  int threads = 0;
  std::vector<std::string> notes;
  std::vector<ReplayedCall> calls;
  std::vector<NotReplayed> not_replayed;
  ReplayVerdict verdict = ReplayVerdict::bit_equal;  // the worst of the calls
};

// 0 bit-equal or within the gate, 1 differs, 2 unsupported (which beats differs).
int exit_code(const ReplayReport& report);

// "step 3 · micro 0 · rank 0 · forward · h.1.mlp", with "#1" behind the layer for another call than the first.
std::string describe(const ReplayedCall& call);

}  // namespace goldentrace
