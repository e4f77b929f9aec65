// Small traces to read, cut and damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "traces/trace_writer.h"

namespace goldentrace::testing_support {

using Bytes = std::vector<std::byte>;

// The same bytes for the same seed; about half of them compress.
inline Bytes random_bytes(std::uint64_t seed, std::size_t count) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ull + 0x1234567;
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes[i] = static_cast<std::byte>(i % 4 < 2 ? 0x3f : state & 0xff);
  }
  return bytes;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Adds one record with the right hash.
inline std::int64_t add_record(TraceWriter& writer, RecordId id, DType dtype, Shape shape, const Bytes& payload,
                               std::vector<std::int64_t> producers = {}) {
  Record record{.id = std::move(id), .dtype = dtype, .shape = std::move(shape), .producers = std::move(producers)};
  record.fingerprint.hash = content_hash(payload);
  return writer.add(record, payload);
}

inline RecordId output_of(std::string layer, std::int64_t step = 0) {
  return {.step = step, .layer = std::move(layer), .role = Role::output};
}

inline Tape linear_tape(const std::string& layer) {
  Tape tape{.layer = layer};
  tape.values = {TapeValue{.source = ValueSource::external, .storage = 0, .shape = {4, 8}, .strides = {8, 1}},
                 TapeValue{}};
  tape.ops = {TapeOp{.name = "aten::relu",
                     .arguments = {{.kind = ArgumentKind::tensor, .value = 0}},
                     .results = {{.kind = ArgumentKind::tensor, .value = 1}}}};
  tape.outputs = {{.value = 1, .position = 0}};
  return tape;
}

// One of everything: packed and chunked payload of several dtypes, sketches of both widths, producers, tapes, blobs,
// calls, header.
inline void write_sample(const std::filesystem::path& path, WriterOptions options = {},
                         const std::function<void()>& before_close = {}) {
  TraceWriter writer(path, options);
  writer.header() = {{"model.name", "sample"}, {"run.seed", "42"}};
  for (std::int64_t step = 0; step < 2; ++step) {
    const auto seed = static_cast<std::uint64_t>(step) * 100;
    const std::int64_t small =
        add_record(writer, output_of("layers.0", step), DType::float32, {4, 8}, random_bytes(seed, 128));
    add_record(writer, output_of("layers.1", step), DType::bfloat16, {64, 512}, random_bytes(seed + 1, 65536), {small});
    add_record(writer, output_of("layers.2", step), DType::float32, {3, 300, 400}, random_bytes(seed + 2, 1440000),
               {small, small + 1});
    Record record{.id = output_of("layers.3", step), .dtype = DType::float32, .shape = {1000}};
    record.fingerprint.hash = {static_cast<std::uint64_t>(step), 7};
    record.fingerprint.sketch.assign(256, 0.5 + static_cast<double>(step));
    writer.add(record, {});
    record.dtype = DType::float64;
    record.id.layer = "layers.4";
    writer.add(record, {});
    LayerCall call{.step = step, .layer = "layers.0"};
    call.tape = writer.add_tape(linear_tape("layers." + std::to_string(step)));
    call.random = writer.add_blob(random_bytes(seed + 3, 5056));
    writer.add_call(call);
  }
  writer.commit();
  if (before_close) before_close();
  writer.close();
}

}  // namespace goldentrace::testing_support
