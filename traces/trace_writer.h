// Writes one trace. The file appears under its name only when close() has sealed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "traces/header.h"
#include "traces/layer_call.h"
#include "traces/record.h"
#include "traces/tape.h"

namespace goldentrace {

struct WriterOptions {
  int compression_level = 1;  // Zstandard; 0: payloads are stored without the filter
};

// One thread at a time. Writes NAME.partial beside the target, held with flock; close() fsyncs and renames it over the
// target. A writer that is destroyed without close() removes its .partial: nothing is left behind. A process that dies
// leaves an unlocked .partial, which readers report as incomplete.
class TraceWriter {
 public:
  // Error(input_output) when the folder cannot be written or the target is no regular file; Error(still_being_written)
  // when another recorder holds the lock. An unlocked leftover .partial is replaced.
  explicit TraceWriter(const std::filesystem::path& path, WriterOptions options = {});
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  Header& header();  // may be changed until close()

  // Appends a record and returns its row. `payload`: contiguous row-major bytes, exactly byte_count(shape, dtype), or
  // none at all (data() == nullptr) for a fingerprint-only record. Equal content (hash, dtype, size) is stored once:
  // the fingerprint's hash is trusted to be content_hash(payload), and readers check it. A sketch that only repeats the
  // payload's elements takes no room. Producers name earlier rows. After a failed write every call is
  // Error(input_output).
  std::int64_t add(const Record& record, std::span<const std::byte> payload);
  std::int64_t record_count() const;

  std::int64_t add_tape(const Tape& tape);                  // equal tapes get the same number
  std::int64_t add_blob(std::span<const std::byte> bytes);  // equal blobs get the same number
  std::int64_t add_call(const LayerCall& call);             // returns its row
  void set_tape(std::int64_t call_row, std::int64_t tape);  // for calls whose tape is known at their exit
  void set_replayable(std::int64_t call_row, Replayable replayable, std::string note);

  std::uint64_t payload_bytes() const;  // bytes of payload frames written so far
  // What was added so far is kept by close_committed().
  void commit();
  void close();  // seal, fsync, rename; Error(input_output) leaves no file behind
  // The same without the records and calls added since the last commit(); without any record before it no file is
  // written and an older one stays.
  void close_committed();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
