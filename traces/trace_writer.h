// Writes one trace. The file appears under its name only when close() has sealed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "traces/codec.h"
#include "traces/header.h"
#include "traces/layer_call.h"
#include "traces/record.h"
#include "traces/tape.h"

namespace goldentrace {

struct WriterOptions {
  Codec codec = Codec::standard;    // of payloads
  std::uint64_t segment_bytes = 0;  // a finished file for about so many bytes; 0: one file for the whole run
  // Called with the bytes of payload that a commit added to the file, on the thread that completed it, in the order of
  // the commits and one at a time. It may throw Error: the writer has failed then. It calls no member of the writer.
  std::function<void(std::uint64_t bytes)> committed;
};

// reserve(), add(), commit() and everything about tapes, blobs and calls: one thread at a time. put(): any number of
// threads, also beside those. Writes NAME.journal beside the target, held with flock; close() makes a trace of it, in
// place or by copying (traces/sealer.h), and renames that over the target. A writer that is destroyed without
// close() leaves nothing behind. A process that dies leaves an unlocked journal, which readers report as incomplete and
// recover_journal() makes a trace of. In a forked child the writer does nothing.
class TraceWriter {
 public:
  // Error(input_output) when the folder cannot be written or the target is no regular file; Error(still_being_written)
  // when another recorder holds the lock; Error(incomplete) when an unlocked journal holds committed steps. Any other
  // leftover is replaced.
  explicit TraceWriter(const std::filesystem::path& path, WriterOptions options = {});
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  Header& header();  // may be changed until close()

  // The next row, counted from 0 in the order of execution. put() must follow exactly once. Waits for nobody.
  std::int64_t reserve();
  // Fills a reserved row; compresses on the calling thread. `payload`: contiguous row-major bytes, exactly
  // byte_count(shape, dtype), or none at all (data() == nullptr) for a fingerprint-only record. Equal content (hash,
  // dtype, size) is stored once: the fingerprint's hash is trusted to be content_hash(payload), and readers check it. A
  // sketch that only repeats the payload's elements takes no room. Producers name earlier rows. After a failed write
  // every call is Error(input_output).
  void put(std::int64_t row, const Record& record, std::span<const std::byte> payload);
  // The same for a payload whose bytes are gone: that of an earlier put() of equal content, which has returned.
  // Error(internal) when there was none. Only without segments, and not for fewer bytes than a sketch repeats.
  void put_known(std::int64_t row, const Record& record);
  std::int64_t add(const Record& record, std::span<const std::byte> payload);  // reserve() and put(); returns the row
  std::int64_t record_count() const;                                           // reserved rows

  std::int64_t add_tape(const Tape& tape);                  // equal tapes get the same number
  std::int64_t add_blob(std::span<const std::byte> bytes);  // equal blobs get the same number
  std::int64_t add_call(const LayerCall& call);             // returns its row
  // Calls of earlier commits may be changed, but not those of a finished segment: nothing happens then.
  void set_tape(std::int64_t call_row, std::int64_t tape);  // for calls whose tape is known at their exit
  void set_replayable(std::int64_t call_row, Replayable replayable, std::string note);

  std::uint64_t payload_bytes() const;  // bytes of payload frames written so far
  // What was reserved and added so far is one step: committed, and kept by close_committed(), as soon as its last row
  // was put, on the thread that puts it. Waits for no row, and for no more than one write of another thread.
  void commit();
  // Seal, fsync, rename; every reserved row was put. After a failed write, and when sealing fails, Error(input_output)
  // says what became of the steps committed before: sealed, if there was no trace of that name and there is room; else
  // kept in the journal, with the command that recovers them.
  void close();
  // The same without the records and calls added since the last commit(); without any record before it no file is
  // written and an older one stays.
  void close_committed();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace goldentrace
