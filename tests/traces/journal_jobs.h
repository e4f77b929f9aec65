// The records of a run of equal steps, made again from their numbers alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/traces/sample_trace.h"

namespace goldentrace::testing_support {

inline constexpr std::int64_t jobs_per_step = 12;

struct Job {
  std::int64_t row;
  Record record;
  Bytes payload;
};

// Twelve records of a step: packed, of one frame, of several, some without payload, some of equal content.
inline std::vector<Job> jobs_of(std::int64_t step) {
  std::vector<Job> jobs;
  const std::vector<Shape> shapes{{16}, {40, 500}, {3, 200, 900}, {}};
  for (std::int64_t i = 0; i < jobs_per_step; ++i) {
    Job job{.row = step * jobs_per_step + i, .record = {.id = output_of("layers." + std::to_string(i), step)}};
    job.record.shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const auto bytes = static_cast<std::size_t>(byte_count(job.record.shape, DType::float32));
    const auto seed = static_cast<std::uint64_t>(i < 8 ? step * 100 + i : 7);
    job.payload = random_bytes(seed, bytes);
    job.record.fingerprint.hash = content_hash(job.payload);
    if (i > 0) job.record.producers = {job.row - 1};
    if (i % 5 == 4) {
      job.record.fingerprint.sketch.assign(256, 0.25 + static_cast<double>(seed));
      job.payload.clear();
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

inline void put_job(TraceWriter& writer, const Job& job) {
  writer.put(job.row, job.record, job.payload.empty() ? std::span<const std::byte>() : std::span(job.payload));
}

inline void add_step_call(TraceWriter& writer, std::int64_t step) {
  LayerCall call{.step = step, .layer = "layers.0"};
  call.random = writer.add_blob(random_bytes(static_cast<std::uint64_t>(step), 64));
  const std::int64_t row = writer.add_call(call);
  writer.set_tape(row, writer.add_tape(linear_tape("layers." + std::to_string(step % 3))));
  if (row > 0) writer.set_replayable(row - 1, Replayable::bit_equal, "step " + std::to_string(step));
}

}  // namespace goldentrace::testing_support
