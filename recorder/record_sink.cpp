#include "recorder/record_sink.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <thread>

#include "recorder/geometry.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr int most_workers = 4;

int worker_count(const RecorderOptions& options) {
  if (options.workers > 0) return options.workers;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) - at::get_num_threads(), 1, most_workers);
}

void refuse_golden(const RecorderOptions& options) {
  std::error_code missing;
  if (options.golden.empty()) {
    if (options.capture != Capture::check && options.stop_after == 0) return;
    throw Error(ErrorCode::usage, "a recording that is checked needs a golden; name one");
  }
  if (!std::filesystem::equivalent(options.golden, options.output, missing)) return;
  throw Error(ErrorCode::usage, "the golden is the trace that is to be written; choose another output",
              {options.output.string(), ""});
}

}  // namespace

RecordSink::RecordSink(const RecorderOptions& options)
    : options_(options), level_(options.capture), crew_(worker_count(options)) {
  payload_of_role_.fill(options.roles.empty());
  for (const std::string& role : options.roles) payload_of_role_[static_cast<std::size_t>(parse_role(role))] = true;
  payload_of_role_[static_cast<std::size_t>(Role::op_output)] = false;
  refuse_golden(options);
  if (!options.golden.empty()) {
    golden_ = std::make_unique<Golden>(options.golden);
    golden_sketches_ = golden_->has_sketches(options.sketch_size);
  }
  if (options.capture == Capture::check) fit_.emplace();
  writer_ = std::make_unique<TraceWriter>(
      options.output, WriterOptions{.codec = options.codec,
                                    .segment_bytes = options.segment_bytes,
                                    .committed = [this](std::uint64_t bytes) { step_committed(bytes); }});
  pipeline_ =
      std::make_unique<Pipeline>(*writer_, golden_.get(), Pipeline::Options{worker_count(options), options.pool_bytes});
}

RecordSink::~RecordSink() = default;

Captured RecordSink::capture(const at::Tensor& tensor, const std::shared_ptr<Content>& known, Expected expected) {
  if (!has_plain_memory(tensor)) {
    throw Error(ErrorCode::unsupported, "a tensor of type " + tensor.toString() + " has no bytes that can be recorded");
  }
  if (devices_.reads(tensor, options_.sketch_size)) return captured_on_device(tensor);
  return captured_of(contents_of(tensor), known, expected);
}

// The fingerprint is known at once, and the bytes stay where they are until a record wants them.
Captured RecordSink::captured_on_device(const at::Tensor& tensor) {
  Contents contents;
  contents.host = tensor;
  contents.dtype = geometry_of(tensor).dtype;
  contents.shape = tensor.sizes().vec();
  Fingerprint fingerprint = devices_.fingerprint(tensor, contents.dtype, options_.sketch_size);
  auto content = std::make_shared<Content>(contents.dtype, tensor.nbytes(), fingerprint.hash);
  static_cast<void>(content->claim());
  content->fill(std::move(fingerprint));
  content->promised = true;
  return {std::move(contents), std::move(content)};
}

Captured RecordSink::captured_of(Contents contents, const std::shared_ptr<Content>& known, Expected expected) {
  Captured captured(std::move(contents), known);
  const std::span<const std::byte> bytes = captured.contents().bytes;
  const DType dtype = captured.dtype();
  const bool comparable = known && known->promised && known->bytes == bytes.size() && known->dtype == dtype;
  Hash128 hash;
  const bool hashed = comparable && expected == Expected::same;
  if (hashed) hash = crew_.hash(bytes);
  if (hashed && hash == known->hash) return captured;
  const std::shared_ptr<std::byte> memory = level_ == Capture::check ? nullptr : pipeline_->room(bytes.size());
  if (memory) hash = crew_.copy(bytes, memory.get());
  if (!memory && !hashed) hash = crew_.hash(bytes);
  if (!comparable || hash != known->hash) captured.content = std::make_shared<Content>(dtype, bytes.size(), hash);
  captured.copy = memory;
  return captured;
}

bool RecordSink::copy_bytes(const Captured& captured) {
  if (captured.copy) return true;
  if (captured.is_on_device()) {
    ComingBytes coming = DeviceSight::copy(captured.tensor());
    captured.copy = std::move(coming.bytes);
    captured.wait_for_copy = std::move(coming.wait);
    return true;
  }
  const std::span<const std::byte> bytes = captured.contents().bytes;
  const std::shared_ptr<std::byte> memory = pipeline_->room(bytes.size());
  if (memory) crew_.copy(bytes, memory.get());
  captured.copy = memory;
  return memory != nullptr;
}

std::int64_t RecordSink::add(Record record, const Captured& captured) {
  if (!ids_.insert(record.id).second) {
    note(std::string(name(record.id.role)) + " met twice not recorded");
    return -1;
  }
  std::erase_if(record.producers, [](std::int64_t producer) { return producer < 0; });
  return send(std::move(record), captured, options_.sketch_size);
}

std::int64_t RecordSink::add_scalar(Record record, Contents contents) {
  return add(std::move(record), captured_of(std::move(contents), nullptr, Expected::other));
}

std::int64_t RecordSink::add_op_output(Record record, const at::Tensor& tensor) {
  return send(std::move(record), captured_of(contents_of(tensor), nullptr, Expected::other), 0);
}

std::int64_t RecordSink::send(Record record, const Captured& captured, std::size_t sketch_size) {
  Content& content = *captured.content;
  record.dtype = captured.dtype();
  record.shape = captured.shape();
  record.fingerprint.hash = content.hash;
  Job job;
  job.row = writer_->reserve();
  job.content = captured.content;
  job.sketch_size = sketch_size;
  lineage_.add(job.row, record.id, record.producers);
  if (wants_payload(record, job)) job.payload = is_known_payload(content) ? Payload::known : Payload::copied;
  job.record = std::move(record);
  const bool fills = !content.promised && job.golden_row < 0;
  const bool needs_bytes = fills || job.payload == Payload::copied;
  const std::int64_t row = job.row;
  if (needs_bytes && !copy_bytes(captured)) {
    send_in_place(std::move(job), captured);
    return row;
  }
  if (needs_bytes) {
    job.bytes = captured.copy;
    job.wait_for_bytes = captured.wait_for_copy;
  }
  content.promised = true;
  content.stored |= job.payload == Payload::copied;
  pipeline_->push(std::move(job));
  return row;
}

// There is no room: what a worker would do is done here, while the model waits.
void RecordSink::send_in_place(Job job, const Captured& captured) {
  if (job.payload == Payload::copied && options_.when_full == WhenFull::sketch &&
      pipeline_->can_ever_hold(captured.content->bytes)) {
    job.payload = Payload::none;
    job.record.dropped = true;
    ++dropped_;
  } else {
    ++waits_;
  }
  captured.content->promised = true;
  captured.content->stored |= job.payload == Payload::copied;
  pipeline_->run_here(job, captured.contents().bytes);
}

// A sketch of so many elements may repeat the payload, and segments are files of their own.
bool RecordSink::is_known_payload(const Content& content) const {
  constexpr std::size_t longest_element = 16;
  return content.stored && options_.segment_bytes == 0 && content.bytes > options_.sketch_size * longest_element;
}

bool RecordSink::wants_payload(const Record& record, Job& job) {
  const bool role = payload_of_role_[static_cast<std::size_t>(record.id.role)];
  if (level_ != Capture::check || record.id.role == Role::op_output) return level_ == Capture::full && role;
  const auto row = golden_->find(record.id, record.position);
  if (fit_) fit_->see(record, row ? &golden_->record(*row) : nullptr);
  if (row && golden_->has_equal(*row, record)) {
    if (golden_sketches_) job.golden_row = *row;
    return false;
  }
  ++differences_;
  return role;
}

void RecordSink::check_space(std::uint64_t step_bytes) const {
  std::error_code failure;
  const auto folder = options_.output.has_parent_path() ? options_.output.parent_path() : std::filesystem::path(".");
  const auto space = std::filesystem::space(folder, failure);
  const std::uint64_t reserve = step_bytes / 4;
  if (failure || space.available > step_bytes + reserve) return;
  throw Error(ErrorCode::input_output,
              "recording stopped: another step takes " + std::to_string(step_bytes) + " bytes and a reserve of " +
                  std::to_string(reserve) + ", and only " + std::to_string(space.available) +
                  " are free; free space or record with --capture sketch",
              {options_.output.string(), ""});
}

// With another model's golden everything would be a difference.
void RecordSink::check_fit() {
  const std::string misfit = fit_ ? fit_->misfit() : "";
  fit_.reset();
  if (misfit.empty()) return;
  throw Error(ErrorCode::usage, "is no golden for this run: " + misfit, {golden_->path().string(), ""});
}

void RecordSink::commit_step(std::int64_t step) {
  check_fit();
  ids_.clear();
  lineage_.clear();
  {
    const std::lock_guard lock(steps_mutex_);
    open_steps_.push_back(step);
  }
  writer_->commit();
  pipeline_->flush();
}

void RecordSink::step_committed(std::uint64_t bytes) {
  std::unique_lock lock(steps_mutex_);
  if (open_steps_.empty()) return;  // what close() itself commits
  const std::int64_t step = open_steps_.front();
  open_steps_.pop_front();
  lock.unlock();
  check_space(bytes);
  if (options_.step_written) options_.step_written(step, bytes);
}

void RecordSink::write_notes() {
  Header& header = writer_->header();
  for (const auto& [what, times] : notes_) header["recording.note." + what] = std::to_string(times) + " times";
  header["capture.waits"] = std::to_string(waits_);
  header["capture.dropped_payloads"] = std::to_string(dropped_);
  if (!golden_) return;
  header["capture.golden"] = golden_->file_name();
  header["capture.golden_hash"] = golden_->identity();
  header["capture.differences"] = std::to_string(differences_);
}

void RecordSink::finish_jobs() {
  try {
    pipeline_->finish();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::input_output) keep_committed();
    throw;
  }
  pipeline_.reset();
  write_notes();
}

void RecordSink::close_committed() {
  finish_jobs();
  writer_->close_committed();
}

void RecordSink::close() {
  finish_jobs();
  writer_->close();
}

void RecordSink::keep_committed() {
  pipeline_.reset();
  writer_->close_committed();
}

void RecordSink::drop() {
  pipeline_.reset();
  writer_.reset();
}

}  // namespace goldentrace
