// Where captured tensors become records: fingerprint, payload policy, lineage, unique ids.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

#include "recorder/contents.h"
#include "recorder/lineage.h"
#include "recorder/recorder.h"
#include "recorder/tensor_table.h"
#include "traces/trace_writer.h"

namespace goldentrace {

// A tensor's bytes with their fingerprint, taken once and used for every record of the moment.
struct Captured {
  Contents contents;
  std::shared_ptr<const Fingerprint> fingerprint;
};

// Not thread-safe: the session's lock is held around it.
class RecordSink {
 public:
  explicit RecordSink(const RecorderOptions& options);

  // Error(unsupported) unless the tensor has plain memory. `known`: the fingerprint of an earlier capture, whose
  // statistics and sketch hold when the hash is still the same.
  Captured capture(const at::Tensor& tensor, const std::shared_ptr<const Fingerprint>& known = {}) const;

  // Fills dtype, shape and fingerprint and writes the record. Gives its row, or -1 when this id was written before,
  // which is noted in the header.
  std::int64_t add(Record record, const Captured& captured);
  std::int64_t add_scalar(Record record, Contents contents);
  // Hash and statistics only.
  std::int64_t add_op_output(Record record, const at::Tensor& tensor);

  TraceWriter& writer() { return *writer_; }
  Lineage& lineage() { return lineage_; }
  void note(const std::string& what) { ++notes_[what]; }

  // The step's records are complete: they survive close_committed(). Error(input_output) when the disk would be full
  // after another step of this size.
  std::uint64_t commit_step();  // bytes of payload that it added
  void close();
  void close_committed();           // without the open step
  void drop() { writer_.reset(); }  // no file

 private:
  bool wants_payload(Role role) const;
  void check_space(std::uint64_t step_bytes) const;
  void write_notes();

  std::filesystem::path output_;
  Capture capture_;
  std::size_t sketch_size_;
  std::array<bool, 9> payload_of_role_{};
  std::unique_ptr<TraceWriter> writer_;
  Lineage lineage_;
  std::unordered_set<std::string> ids_;  // of the open step
  std::map<std::string, std::int64_t> notes_;
  std::uint64_t committed_bytes_ = 0;
};

}  // namespace goldentrace
