// Where captured tensors become records: hash, payload policy, lineage, unique ids.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "recorder/contents.h"
#include "recorder/copy_crew.h"
#include "recorder/device_sight.h"
#include "recorder/golden.h"
#include "recorder/golden_fit.h"
#include "recorder/lineage.h"
#include "recorder/pipeline.h"
#include "recorder/record_id_hash.h"
#include "recorder/recorder.h"
#include "recorder/tensor_table.h"
#include "traces/trace_writer.h"

namespace goldentrace {

// A tensor's bytes with their hash, taken once and used for every record of the moment.
class Captured {
 public:
  Captured(Contents contents, std::shared_ptr<Content> content)
      : content(std::move(content)), contents_(std::move(contents)) {}

  // On the host: of a tensor on a device only now.
  const Contents& contents() const {
    if (contents_.bytes.data() == nullptr) contents_ = contents_of(contents_.host);
    return contents_;
  }
  void make_scalar() { contents_.shape.clear(); }  // of one element
  DType dtype() const { return contents_.dtype; }
  const Shape& shape() const { return contents_.shape; }
  const Hash128& hash() const { return content->hash; }
  bool is_on_device() const { return contents_.bytes.data() == nullptr; }
  const at::Tensor& tensor() const { return contents_.host; }

  std::shared_ptr<Content> content;
  // Made when a record needs it; null: there was no need yet, or no room.
  mutable std::shared_ptr<const std::byte> copy;
  mutable std::function<void()> wait_for_copy;

 private:
  mutable Contents contents_;
};

// What is expected of a tensor that was captured before.
enum class Expected { same, other };

// Not thread-safe: the session's lock is held around it. The bytes of a capture are looked at, and copied if they are
// needed, before capture() and add() return.
class RecordSink {
 public:
  explicit RecordSink(const RecorderOptions& options);
  ~RecordSink();

  // Error(unsupported) unless the tensor has plain memory. `known`: an earlier capture, taken instead of a copy when
  // the hash is still the same.
  Captured capture(const at::Tensor& tensor, const std::shared_ptr<Content>& known = {},
                   Expected expected = Expected::same);

  // Fills dtype, shape and hash and sends the record on its way. Gives its row, or -1 when this id was met before,
  // which is noted in the header.
  std::int64_t add(Record record, const Captured& captured);
  std::int64_t add_scalar(Record record, Contents contents);
  // Hash and statistics only.
  std::int64_t add_op_output(Record record, const at::Tensor& tensor);

  void set_level(Capture level) { level_ = level; }  // of the next records
  TraceWriter& writer() { return *writer_; }
  Lineage& lineage() { return lineage_; }
  void note(const std::string& what) { ++notes_[what]; }
  std::int64_t differences() const { return differences_; }  // records unlike the golden's; any thread

  // The step's records are complete: they survive close_committed().
  void commit_step(std::int64_t step);
  void close();
  // After a failed write: the writer keeps the committed steps and throws its error, which says where they are.
  void keep_committed();
  void close_committed();  // without the open step
  void drop();             // no file

 private:
  Captured captured_on_device(const at::Tensor& tensor);
  Captured captured_of(Contents contents, const std::shared_ptr<Content>& known, Expected expected);
  bool copy_bytes(const Captured& captured);
  std::int64_t send(Record record, const Captured& captured, std::size_t sketch_size);
  bool wants_payload(const Record& record, Job& job);
  bool is_known_payload(const Content& content) const;
  void send_in_place(Job job, const Captured& captured);
  void step_committed(std::uint64_t bytes);
  void check_fit();
  void check_space(std::uint64_t step_bytes) const;
  void write_notes();
  void finish_jobs();

  const RecorderOptions& options_;
  Capture level_;
  std::array<bool, 9> payload_of_role_{};
  std::unique_ptr<Golden> golden_;
  bool golden_sketches_ = false;
  std::optional<GoldenFit> fit_;  // while the first step of a run in `check` is open
  std::unique_ptr<TraceWriter> writer_;
  std::unique_ptr<Pipeline> pipeline_;
  CopyCrew crew_;
  DeviceSight devices_;
  Lineage lineage_;
  std::unordered_set<RecordId, RecordIdHash> ids_;  // of the open step
  std::map<std::string, std::int64_t> notes_;
  std::atomic<std::int64_t> differences_{0};
  std::int64_t dropped_ = 0;  // payloads
  std::int64_t waits_ = 0;    // for room

  std::mutex steps_mutex_;
  std::deque<std::int64_t> open_steps_;  // committed, not complete in the file
};

}  // namespace goldentrace
