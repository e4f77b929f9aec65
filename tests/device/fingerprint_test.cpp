// Kernels on a CUDA device against the CPU: the same bits.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "kernels/device_fingerprint.h"
#include "kernels/device_memory.h"
#include "tests/device/device_test.h"
#include "tests/kernels/twin_tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

class DeviceFingerprint : public DeviceTest {};

// Launches first, comparisons after one collect().
class Batch {
 public:
  explicit Batch(FingerprintOptions options = {}) : options_(options), fingerprints_(0, options), stream_(0) {}

  // `skipped` bytes in front make the tensor unaligned.
  void add(const Bytes& bytes, DType dtype, std::size_t skipped = 0) {
    Bytes padded(skipped);
    padded.insert(padded.end(), bytes.begin(), bytes.end());
    on_device_.push_back(std::make_unique<DeviceBytes>(0, padded));
    const DeviceTensor tensor{on_device_.back()->data() + skipped, bytes.size(), dtype};
    EXPECT_EQ(fingerprints_.launch(tensor, stream_.get()), expected_.size());
    expected_.push_back(fingerprint(bytes, dtype, options_));
    names_.push_back(std::string(name(dtype)) + " bytes " + std::to_string(bytes.size()) + " m " +
                     std::to_string(options_.sketch_size));
  }

  void expect_all() {
    const std::vector<Fingerprint> actual = fingerprints_.collect();
    ASSERT_EQ(actual.size(), expected_.size());
    for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(bits_of(actual[i]), bits_of(expected_[i])) << names_[i];
    expected_.clear(), names_.clear(), on_device_.clear();
  }

 private:
  FingerprintOptions options_;
  DeviceFingerprints fingerprints_;
  DeviceStream stream_;
  std::vector<std::unique_ptr<DeviceBytes>> on_device_;
  std::vector<Fingerprint> expected_;
  std::vector<std::string> names_;
};

TEST_F(DeviceFingerprint, EveryDtypeAndLength) {
  Batch batch;
  for (const DType dtype : all_dtypes()) {
    for (const std::size_t count : element_counts(item_size(dtype))) {
      batch.add(finite_tensor(dtype, count * item_size(dtype)), dtype);
    }
  }
  batch.expect_all();
}

TEST_F(DeviceFingerprint, NonFiniteElements) {
  Batch batch;
  for (const DType dtype : all_dtypes()) batch.add(random_bytes(40000 * item_size(dtype), 1), dtype);
  for (const DType dtype : floating_dtypes()) batch.add(masked_tensor(dtype), dtype);
  batch.expect_all();
}

TEST_F(DeviceFingerprint, OtherSketchSizes) {
  for (const std::size_t m : {0, 1, 7, 64, 100, 255, 257, 512, 999, 4096}) {
    Batch batch({.sketch_size = m});
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float64, DType::uint8}) {
      batch.add(finite_tensor(dtype, 150000), dtype);
    }
    batch.expect_all();
  }
}

TEST_F(DeviceFingerprint, UnalignedTensors) {
  Batch batch;
  for (const DType dtype : all_dtypes()) {
    batch.add(finite_tensor(dtype, 50000 / item_size(dtype) * item_size(dtype)), dtype, item_size(dtype));
  }
  batch.expect_all();
}

TEST_F(DeviceFingerprint, LargeTensors) {
  Batch batch;
  batch.add(finite_tensor(DType::bfloat16, 2 * 4194304 + 65536 * 3 + 16384 + 30), DType::bfloat16);
  batch.add(finite_tensor(DType::float32, 4194304), DType::float32);
  batch.add(random_bytes(33333333, 2), DType::uint8);
  batch.expect_all();
}

TEST_F(DeviceFingerprint, SquaresBeyondTheRangeOfDouble) {
  Batch batch;
  for (const double size : extreme_sizes) batch.add(sized_tensor(size), DType::float64);
  batch.expect_all();
}

TEST_F(DeviceFingerprint, ManyTensorsAndBatches) {
  Batch batch;
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 1100; ++i) batch.add(random_bytes(64 + 4 * i, i), DType::float32);
    batch.expect_all();
  }
}

TEST_F(DeviceFingerprint, StreamsJoinInOneBatch) {
  const Bytes bytes = finite_tensor(DType::float32, 4000000);
  const DeviceBytes on_device(0, bytes);
  const DeviceStream one(0), other(0);
  auto fingerprints = std::make_unique<DeviceFingerprints>(0);
  for (void* stream : {one.get(), other.get(), one.get(), static_cast<void*>(nullptr)}) {
    fingerprints->launch({on_device.data(), bytes.size(), DType::float32}, stream);
  }
  DeviceBatch batch = fingerprints->finish();
  fingerprints.reset();
  const std::vector<Fingerprint> results = batch.wait();
  ASSERT_EQ(results.size(), 4u);
  for (const Fingerprint& result : results) EXPECT_EQ(bits_of(result), bits_of(fingerprint(bytes, DType::float32)));
  EXPECT_THROW(batch.wait(), std::logic_error);
}

TEST_F(DeviceFingerprint, RefusesPartsOfElementsAndHugeSketches) {
  DeviceFingerprints fingerprints(0);
  const DeviceBytes bytes(0, 7);
  EXPECT_THROW(fingerprints.launch({bytes.data(), 7, DType::float32}, nullptr), std::logic_error);
  EXPECT_THROW(DeviceFingerprints(0, {.sketch_size = max_device_sketch_size + 1}), std::logic_error);
  EXPECT_TRUE(fingerprints.collect().empty());
}

}  // namespace
}  // namespace goldentrace
