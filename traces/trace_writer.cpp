#include "traces/trace_writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "traces/trace_writer_state.h"

namespace goldentrace {
namespace {

template <typename State>
State& alive(const std::unique_ptr<State>& state) {
  if (!state) throw Error(ErrorCode::internal, "the trace is closed already");
  return *state;
}

}  // namespace

TraceWriter::TraceWriter(const std::filesystem::path& path, WriterOptions options)
    : state_(new State(path, std::move(options))) {}

// In a forked child the threads of the parent are not there to be waited for.
TraceWriter::~TraceWriter() {
  if (state_ && state_->is_forked()) static_cast<void>(state_.release());
}

Header& TraceWriter::header() { return alive(state_).header; }

std::int64_t TraceWriter::reserve() {
  State& state = alive(state_);
  state.check();
  return state.reserved++;
}

void TraceWriter::put(std::int64_t row, const Record& record, std::span<const std::byte> payload) {
  alive(state_).put(row, record, payload);
}

void TraceWriter::put_known(std::int64_t row, const Record& record) { alive(state_).put_known(row, record); }

std::int64_t TraceWriter::add(const Record& record, std::span<const std::byte> payload) {
  alive(state_).check_record(record_count(), record, payload);
  const std::int64_t row = reserve();
  state_->put(row, record, payload);
  return row;
}

std::int64_t TraceWriter::record_count() const { return alive(state_).reserved; }

std::int64_t TraceWriter::add_tape(const Tape& tape) {
  const std::string text = to_text(tape);
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  return state.add_text(state.tapes, state.current().tapes, state.open.tapes, text);
}

std::int64_t TraceWriter::add_blob(std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  return state.add_text(state.blobs, state.current().blobs, state.open.blobs, text);
}

std::int64_t TraceWriter::add_call(const LayerCall& call) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  LayerCall local = call;
  local.parent = std::max<std::int64_t>(-1, call.parent - state.current().first_call);
  local.tape = state.current().tapes.local(state.tapes, call.tape, state.open.tapes);
  local.random = state.current().blobs.local(state.blobs, call.random, state.open.blobs);
  state.open.calls.push_back(std::move(local));
  return state.call_count++;
}

void TraceWriter::set_tape(std::int64_t call_row, std::int64_t tape) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  const std::int64_t local = state.current().tapes.local(state.tapes, tape, state.open.tapes);
  state.change(call_row, {.kind = CallChange::Kind::tape, .tape = local});
}

void TraceWriter::set_replayable(std::int64_t call_row, Replayable replayable, std::string note) {
  State& state = alive(state_);
  const std::lock_guard lock(state.mutex);
  CallChange change{.kind = CallChange::Kind::replayable, .replayable = replayable};
  change.note = std::move(note);
  state.change(call_row, std::move(change));
}

std::uint64_t TraceWriter::payload_bytes() const { return alive(state_).payload_bytes; }

void TraceWriter::commit() {
  State& state = alive(state_);
  state.check();
  {
    const std::lock_guard lock(state.mutex);
    state.queue_commit(Switching::by_size);
  }
  std::unique_lock lock(state.writing);
  state.complete_commits();
  state.report_commits(lock);
}

// Whatever happens, the writer ends here. The file of a forked child is its parent's.
void TraceWriter::close() {
  if (alive(state_).is_forked()) return static_cast<void>(state_.release());
  const std::unique_ptr<State> state = std::move(state_);
  state->end(Ending::every_row);
}

void TraceWriter::close_committed() {
  if (alive(state_).is_forked()) return static_cast<void>(state_.release());
  const std::unique_ptr<State> state = std::move(state_);
  state->end(Ending::committed_rows);
}

}  // namespace goldentrace
