#include "recorder/record_sink.h"

#include <algorithm>

#include "kernels/fingerprint.h"
#include "recorder/geometry.h"
#include "traces/error.h"

namespace goldentrace {

RecordSink::RecordSink(const RecorderOptions& options)
    : output_(options.output), capture_(options.capture), sketch_size_(options.sketch_size) {
  payload_of_role_.fill(options.roles.empty());
  for (const std::string& role : options.roles) payload_of_role_[static_cast<std::size_t>(parse_role(role))] = true;
  writer_ = std::make_unique<TraceWriter>(options.output, WriterOptions{.codec = options.codec});
}

Captured RecordSink::capture(const at::Tensor& tensor, const std::shared_ptr<const Fingerprint>& known) const {
  if (!has_plain_memory(tensor)) {
    throw Error(ErrorCode::unsupported, "a tensor of type " + tensor.toString() + " has no bytes that can be recorded");
  }
  Captured captured{contents_of(tensor), known};
  if (known && known->hash == content_hash(captured.contents.bytes)) return captured;
  captured.fingerprint = std::make_shared<Fingerprint>(
      fingerprint(captured.contents.bytes, captured.contents.dtype, FingerprintOptions{sketch_size_}));
  return captured;
}

bool RecordSink::wants_payload(Role role) const {
  return capture_ == Capture::full && role != Role::op_output && payload_of_role_[static_cast<std::size_t>(role)];
}

std::int64_t RecordSink::add(Record record, const Captured& captured) {
  if (!ids_.insert(to_string(record.id)).second) {
    note(std::string(name(record.id.role)) + " met twice not recorded");
    return -1;
  }
  std::erase_if(record.producers, [](std::int64_t producer) { return producer < 0; });
  record.dtype = captured.contents.dtype;
  record.shape = captured.contents.shape;
  record.fingerprint = *captured.fingerprint;
  const bool payload = wants_payload(record.id.role);
  const std::int64_t row = writer_->add(record, payload ? captured.contents.bytes : std::span<const std::byte>());
  lineage_.add(row, record.id, record.producers);
  return row;
}

std::int64_t RecordSink::add_scalar(Record record, Contents contents) {
  Captured captured{std::move(contents), nullptr};
  captured.fingerprint = std::make_shared<Fingerprint>(
      fingerprint(captured.contents.bytes, captured.contents.dtype, FingerprintOptions{sketch_size_}));
  return add(std::move(record), captured);
}

std::int64_t RecordSink::add_op_output(Record record, const at::Tensor& tensor) {
  const Contents contents = contents_of(tensor);
  record.dtype = contents.dtype;
  record.shape = contents.shape;
  record.fingerprint = fingerprint(contents.bytes, contents.dtype, FingerprintOptions{0});
  return writer_->add(record, {});
}

void RecordSink::check_space(std::uint64_t step_bytes) const {
  std::error_code failure;
  const auto folder = output_.has_parent_path() ? output_.parent_path() : std::filesystem::path(".");
  const auto space = std::filesystem::space(folder, failure);
  if (failure || space.available > step_bytes + step_bytes / 4) return;
  throw Error(ErrorCode::input_output,
              "recording stopped: a step takes " + std::to_string(step_bytes) + " bytes and only " +
                  std::to_string(space.available) + " are free; free space or record with --capture sketch",
              {output_.string(), ""});
}

std::uint64_t RecordSink::commit_step() {
  ids_.clear();
  lineage_.clear();
  writer_->commit();
  const std::uint64_t bytes = writer_->payload_bytes() - committed_bytes_;
  committed_bytes_ += bytes;
  check_space(bytes);
  return bytes;
}

void RecordSink::write_notes() {
  for (const auto& [what, times] : notes_) {
    writer_->header()["recording.note." + what] = std::to_string(times) + " times";
  }
}

void RecordSink::close_committed() {
  write_notes();
  writer_->close_committed();
}

void RecordSink::close() {
  write_notes();
  writer_->close();
}

}  // namespace goldentrace
