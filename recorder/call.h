// One entry of a layer while it is being recorded, and the ops of the outermost entry that it lies in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/geometry.h"
#include "traces/layer_call.h"
#include "traces/tape.h"

namespace goldentrace {

struct Share;
struct Parameter;

// Names a tensor for as long as the recording lasts; a new tensor at the same address gets a new one.
using TensorUid = std::uint64_t;

// A tensor as the ops of one log see it.
struct LogValue {
  TensorUid uid = 0;
  const void* tensor = nullptr;  // address of the TensorImpl: a key, never followed
  std::int64_t made_at = -1;     // number of the op that made it; -1: read only
  bool alias = false;            // seen without an op on a storage that this log made
  ValueIndex base = -1;          // alias: a value on the same storage
  Geometry geometry;             // alias only
  bool requires_grad = false;    // alias only

  std::uint64_t builder = 0;  // which tape `local` is a number of
  ValueIndex local = -1;
};

// The nodes of the autograd graph that an op made: numbers [begin, end) of a thread.
struct NodeRange {
  std::uint64_t thread = 0;  // RecordFunction's number
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool contains(std::uint64_t node_thread, std::uint64_t number) const {
    return node_thread == thread && number >= begin && number < end;
  }
};

// The ops of one outermost call, or of the root; inner calls are ranges of it. Values are numbered by first sight.
struct OpLog {
  // More are no layer's: a program without labels, or one label around a whole run.
  static constexpr std::size_t longest = 200000;
  bool is_full() const { return ops.size() >= longest; }

  std::vector<TapeOp> ops;
  std::vector<LogValue> values;
  std::unordered_map<TensorUid, ValueIndex> numbers;
  std::vector<NodeRange> nodes;  // in order
  std::uint64_t builders = 0;    // of tapes, so far

  bool made_node(std::uint64_t thread, std::uint64_t number) const;
  ValueIndex number_of(TensorUid uid);
  // The number of the op that made the value, -1 when none of this log did.
  std::int64_t made_at(TensorUid uid) const;
};

// A tensor that a call reads but did not make.
struct External {
  Role role = Role::input;
  std::int32_t position = -1;
  std::int64_t row = -1;  // of its record; -1: it has none
  std::string index;
  Geometry geometry;
  std::uint64_t storage = 0;  // number of its storage
  bool requires_grad = false;
  std::shared_ptr<Parameter> parameter;  // null for inputs
  std::weak_ptr<Share> share;            // of its gradient; empty until an op may send one
};

// Content by its place: storage number (0: none), how often it was written, elements in it.
struct OutputPlace {
  std::uint64_t storage = 0;
  std::uint64_t version = 0;
  Geometry geometry;

  bool operator==(const OutputPlace&) const = default;
};

struct CallOutput {
  TensorUid uid = 0;
  std::int32_t position = 0;
  std::int64_t row = -1;
  OutputPlace place;
};

// Where autograd sends the gradient of an external: input `number` of a node.
struct CallEdge {
  std::weak_ptr<void> node;
  std::uint32_t number = 0;
  TensorUid uid = 0;
};

struct Call : std::enable_shared_from_this<Call> {
  LayerCall facts;               // facts.step, micro, pass, layer, call
  std::int64_t row = -1;         // of the call in the trace
  std::shared_ptr<Call> parent;  // null: directly in the root
  int depth = 0;                 // 0: outermost
  bool root = false;
  bool taped = true;
  bool open = true;
  bool tape_written = false;
  bool released = false;
  bool abandoned = false;  // a backward ran inside it: a label around whole steps, no layer

  std::uint64_t thread = 0;          // RecordFunction's number of the thread
  std::uint64_t sequence_begin = 0;  // autograd numbers of the nodes made inside: [begin, end)
  std::uint64_t sequence_end = UINT64_MAX;
  int graph_task = -1;  // backward that was running at entry

  int backward = -1;              // the outermost backward that its gradients were recorded in
  bool partial_backward = false;  // which asked for some gradients only

  std::shared_ptr<OpLog> log;
  std::size_t ops_begin = 0;
  std::size_t ops_end = SIZE_MAX;

  std::unordered_map<TensorUid, External> externals;
  std::unordered_map<const void*, std::vector<CallEdge>> edges;       // of externals, by node
  std::unordered_map<const void*, std::weak_ptr<void>> unseen_nodes;  // of custom autograd functions, already hooked
  std::vector<CallOutput> outputs;
  std::unordered_map<TensorUid, std::size_t> output_of;
  std::array<std::int32_t, 9> next_position{};
  std::vector<std::int64_t> value_rows;  // inputs, parameters and buffers
  std::string unsupported;               // why its tape cannot be replayed

  bool made_node(std::uint64_t node_thread, std::uint64_t number) const {
    return node_thread == thread && number >= sequence_begin && number < sequence_end;
  }
  // The step is over: what its tape was made from goes. Tensors that the call made may live much longer.
  void release();

  bool owns_log() const { return !parent || parent->log != log; }
  std::int32_t take_position(Role role) { return next_position[static_cast<std::size_t>(role)]++; }
  void mark_unsupported(const std::string& why) {
    if (unsupported.empty()) unsupported = why;
  }
};

// `outer` is `inner` itself or one of the calls around it. Nothing encloses null; the root encloses only itself.
bool encloses(const Call* outer, const Call* inner);

// The tape of a call from its range of the log.
Tape build_tape(const Call& call);
// build_tape(call) would give this tape, bit for bit. Where telling would cost as much as building, no.
bool has_tape(const Call& call, const Tape& tape);

}  // namespace goldentrace
