// The CPU's instruction sets, the host walk of the CUDA kernels' arithmetic and, where there is a device, the kernels
// themselves give the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "kernels/fingerprint.h"
#include "kernels/host_walk.h"
#include "kernels/vector_code.h"
#include "tests/kernels/tensors.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

class ForcedSet {
 public:
  explicit ForcedSet(InstructionSet set) { force_instruction_set(set); }
  ~ForcedSet() { force_instruction_set({}); }
};

std::vector<DType> all_dtypes() {
  std::vector<DType> all = real_dtypes();
  all.insert(all.end(), complex_dtypes().begin(), complex_dtypes().end());
  all.push_back(DType::float8_e5m2);
  return all;
}

std::vector<std::uint64_t> bits_of(const Fingerprint& fingerprint) {
  const Statistics& s = fingerprint.statistics;
  std::vector<std::uint64_t> bits{fingerprint.hash.low, fingerprint.hash.high, s.nan_count, s.inf_count, s.zero_count};
  for (const double value : {s.min, s.max, s.mean, s.l2}) bits.push_back(std::bit_cast<std::uint64_t>(value));
  for (const double value : fingerprint.sketch) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

void expect_twins(std::span<const std::byte> bytes, DType dtype, FingerprintOptions options = {}) {
  SCOPED_TRACE(std::string(name(dtype)) + " bytes " + std::to_string(bytes.size()) + " m " +
               std::to_string(options.sketch_size));
  const std::vector<std::uint64_t> walked = bits_of(fingerprint_by_host_walk(bytes, dtype, options));
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_supported(set)) continue;
    const ForcedSet forced(set);
    EXPECT_EQ(bits_of(fingerprint(bytes, dtype, options)), walked) << static_cast<int>(set);
  }
}

// Finite values of many magnitudes for floating types, any bits for the others.
Bytes finite_tensor(DType dtype, std::size_t size) {
  const DType real = dtype == DType::complex32    ? DType::float16
                     : dtype == DType::complex64  ? DType::float32
                     : dtype == DType::complex128 ? DType::float64
                                                  : dtype;
  if (dtype_class(real) != DTypeClass::floating) return random_bytes(size, size);
  std::mt19937_64 random(size);
  std::vector<double> values(size / item_size(real));
  for (double& value : values) {
    value = std::ldexp(std::normal_distribution<double>()(random), static_cast<int>(random() % 9) - 4);
  }
  return encode(values, real);
}

std::vector<std::size_t> element_counts(std::size_t item) {
  const std::size_t piece = 16384 / item, segment = 4 * piece;
  return {0,
          1,
          15,
          16,
          17,
          255,
          256,
          257,
          271,
          300,
          512,
          1000,
          piece - 1,
          piece,
          piece + 1,
          piece + 300,
          segment - 17,
          segment,
          segment + 1,
          2 * segment + piece + 77};
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
    std::vector<double> masked(70000, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < masked.size(); i += 3) masked[i] = static_cast<double>(i % 17) - 8;
    expect_twins(encode(masked, dtype), dtype);
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
  for (const double size : {1e300, 1.7e308, 1e-200, 1e-310, 5e-324}) {
    std::vector<double> values(20000);
    std::mt19937_64 random(7);
    for (double& value : values) value = size * static_cast<double>(random() % 2001) / 2001.0;
    expect_twins(encode(values, DType::float64), DType::float64);
  }
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
