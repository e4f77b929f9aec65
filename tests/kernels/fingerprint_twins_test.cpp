// The CPU's instruction sets, the host walk of the CUDA kernels' arithmetic and, where there is a device, the kernels
// themselves give the same bits.
#include <gtest/gtest.h>

#include "kernels/fingerprint.h"
#include "kernels/host_walk.h"
#include "tests/kernels/forced_set.h"
#include "tests/kernels/twin_tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

void expect_twins(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {}) {
  SCOPED_TRACE(std::string(name(dtype)) + " bytes " + std::to_string(bytes.size()) + " m " +
               std::to_string(options.sketch_size));
  const std::vector<std::uint64_t> walked = bits_of(fingerprint_by_host_walk(bytes, dtype, options));
  for (const InstructionSet set : supported_sets()) {
    const ForcedSet forced(set);
    EXPECT_EQ(bits_of(fingerprint(bytes, dtype, options)), walked) << static_cast<int>(set);
  }
}

TEST(FingerprintTwins, EveryDtypeAndLength) {
  for (const DType dtype : all_dtypes()) {
    for (const std::size_t count : element_counts(item_size(dtype))) {
      expect_twins(finite_tensor(dtype, count * item_size(dtype)), dtype);
    }
  }
}

TEST(FingerprintTwins, NonFiniteElements) {
  for (const DType dtype : all_dtypes()) {
    for (const std::size_t count : {300, 20000, 40000}) {
      expect_twins(random_bytes(count * item_size(dtype), count), dtype);
    }
  }
  for (const DType dtype : floating_dtypes()) {
    expect_twins(masked_tensor(dtype), dtype);
    expect_twins(encode(std::vector<double>(5000, NAN), dtype), dtype);
  }
}

TEST(FingerprintTwins, OtherSketchSizes) {
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float64, DType::uint8}) {
    for (const std::size_t m : {0, 1, 7, 64, 100, 255, 257, 512, 999, 4096}) {
      expect_twins(finite_tensor(dtype, 150000), dtype, {.sketch_size = m});
    }
  }
}

TEST(FingerprintTwins, SeveralSpans) {
  expect_twins(finite_tensor(DType::bfloat16, 2 * 4194304 + 65536 * 3 + 16384 + 30), DType::bfloat16);
  expect_twins(finite_tensor(DType::float32, 4194304), DType::float32);
}

TEST(FingerprintTwins, SquaresBeyondTheRangeOfDouble) {
  for (const double size : extreme_sizes) expect_twins(sized_tensor(size), DType::float64);
}

TEST(FingerprintTwins, ZerosOfBothSigns) {
  for (const DType dtype : floating_dtypes()) {
    std::vector<double> values(3000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 0 ? 0.0 : -0.0;
    expect_twins(encode(values, dtype), dtype);
    EXPECT_FALSE(std::signbit(fingerprint(encode(values, dtype), dtype).statistics.min));
  }
}

TEST(InstructionSets, TheBestOneIsChosen) {
  EXPECT_TRUE(is_supported(InstructionSet::portable));
  EXPECT_NE(vector_code().add_groups, nullptr);
}

}  // namespace
}  // namespace goldentrace
