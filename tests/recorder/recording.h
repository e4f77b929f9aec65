// Records a small program and reads the trace back.
#pragma once

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder/recorder.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace::testing_support {

// Runs `body` inside a label.
template <typename Body>
auto layer(const char* label, Body body) {
  RECORD_USER_SCOPE(label);
  return body();
}

inline at::Tensor parameter(std::vector<float> values, std::vector<std::int64_t> shape) {
  return at::tensor(values).view(shape).clone().set_requires_grad(true);
}

// 0.3 sin(1 + k i): no zeros, no equal values.
inline at::Tensor wave(std::vector<std::int64_t> shape, double k) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  const at::Tensor angles = at::add(at::mul(at::arange(count, at::kDouble), k), 1);
  return at::mul(at::sin(angles), 0.3).to(at::kFloat).view(shape);
}
inline at::Tensor wave_parameter(std::vector<std::int64_t> shape, double k) {
  return wave(shape, k).clone().set_requires_grad(true);
}

// The trace of one run.
class Recorded {
 public:
  explicit Recorded(const std::filesystem::path& file) : reader_(file) {}

  const TraceReader& reader() const { return reader_; }
  const std::vector<Record>& records() const { return reader_.records(); }

  bool has(const std::string& id) const { return reader_.find(parse_record_id(id)).has_value(); }

  std::int64_t row(const std::string& id) const {
    const auto row = reader_.find(parse_record_id(id));
    if (!row) ADD_FAILURE() << "no record " << id << " among\n" << testing::PrintToString(ids());
    return row.value_or(0);
  }
  const Record& record(const std::string& id) const { return records()[static_cast<std::size_t>(row(id))]; }

  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Record& record : records()) all.push_back(to_string(record.id));
    return all;
  }
  // Those of one role, in order.
  std::vector<std::string> ids(Role role) const {
    std::vector<std::string> some;
    for (const Record& record : records()) {
      if (record.id.role == role) some.push_back(to_string(record.id));
    }
    return some;
  }

  std::vector<float> values(const std::string& id) const {
    const std::vector<std::byte> bytes = reader_.payload(row(id));
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  at::Tensor tensor(const std::string& id) const {
    const std::vector<float> flat = values(id);
    at::Tensor tensor = at::empty(record(id).shape);
    std::memcpy(tensor.data_ptr(), flat.data(), flat.size() * sizeof(float));
    return tensor;
  }

  std::vector<std::string> producers(const std::string& id) const {
    std::vector<std::string> all;
    for (const std::int64_t row : record(id).producers) {
      all.push_back(to_string(records()[static_cast<std::size_t>(row)].id));
    }
    return all;
  }

  // The first call of a layer in a pass.
  const LayerCall& call(const std::string& layer, Pass pass = Pass::forward, std::int32_t number = 0) const {
    for (const LayerCall& call : reader_.calls()) {
      if (call.layer == layer && call.pass == pass && call.call == number) return call;
    }
    ADD_FAILURE() << "no call of " << layer;
    return reader_.calls().front();
  }
  Tape tape(const std::string& layer, Pass pass = Pass::forward, std::int32_t number = 0) const {
    return reader_.tape(call(layer, pass, number).tape);
  }
  std::vector<std::string> ops(const std::string& layer, Pass pass = Pass::forward) const {
    std::vector<std::string> names;
    for (const TapeOp& op : tape(layer, pass).ops) names.push_back(op.name);
    return names;
  }

 private:
  TraceReader reader_;
};

class RecorderTest : public testing::Test {
 protected:
  RecorderOptions options() const {
    RecorderOptions options;
    options.output = folder_ / "run.h5";
    return options;
  }

  Recorded record(const std::function<void(Recorder&)>& program) { return record(options(), program); }
  Recorded record(RecorderOptions options, const std::function<void(Recorder&)>& program) {
    const std::filesystem::path file = options.output;
    Recorder recorder(std::move(options));
    program(recorder);
    recorder.close();
    return Recorded(file);
  }
  Recorded record(const std::function<void()>& program) {
    return record([&](Recorder&) { program(); });
  }

  // Every checked call of the trace replays bit for bit.
  static void expect_replayable(const Recorded& trace) {
    for (const LayerCall& call : trace.reader().calls()) {
      if (call.layer == root_layer || call.replayable == Replayable::unchecked) continue;
      EXPECT_EQ(call.replayable, Replayable::bit_equal) << call.layer << ": " << call.note;
    }
  }

  TemporaryFolder folder_;
};

}  // namespace goldentrace::testing_support
