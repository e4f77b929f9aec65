// Fingerprint and compare per dtype, beside the memory bandwidth of the same machine in the same run.
// Bytes per second count every byte that is read once: both tensors for compare and copy's source alone for copy.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/compare.h"
#include "kernels/element.h"
#include "kernels/fingerprint.h"
#include "kernels/sketch.h"

namespace goldentrace {
namespace {

using Bytes = std::vector<std::byte>;

// The first fits in a core's own cache together with its twin, the second is a large layer's weight.
constexpr std::size_t sizes[] = {std::size_t{512} << 10, std::size_t{256} << 20};

const DType dtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::complex64,
                        DType::int64,   DType::int32,   DType::uint8,   DType::boolean};

// Random signs and fractions, magnitudes from 1/8 to 2: what layers hold. Other dtypes take the bits as they come.
std::uint64_t exponent_bits(DType dtype, std::uint64_t random) {
  const std::uint64_t below = random >> 48 & 3;
  switch (component_dtype(dtype)) {
    case DType::float64:
      return (1023 - below) << 52;
    case DType::float32:
      return (127 - below) << 23 | (126 - below) << 55;
    case DType::float16:
      return ((15 - below) << 10) * 0x0001000100010001;
    case DType::bfloat16:
      return ((127 - below) << 7) * 0x0001000100010001;
    default:
      return 0;
  }
}

std::uint64_t kept_bits(DType dtype) {
  switch (component_dtype(dtype)) {
    case DType::float64:
      return 0x800FFFFFFFFFFFFF;
    case DType::float32:
      return 0x807FFFFF807FFFFF;
    case DType::float16:
      return 0x83FF83FF83FF83FF;
    case DType::bfloat16:
      return 0x807F807F807F807F;
    case DType::boolean:
      return 0x0101010101010101;
    default:
      return ~std::uint64_t{0};
  }
}

Bytes filled(DType dtype, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t random = splitmix64(i);
    const std::uint64_t word = (random & kept_bits(dtype)) | exponent_bits(dtype, random);
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

// The latest one is kept: benchmarks of one dtype and size follow one another.
const Bytes& tensor(DType dtype, std::size_t size) {
  static Bytes bytes;
  static DType last = DType::none;
  if (bytes.size() != size || last != dtype) bytes = filled(dtype, size);
  last = dtype;
  return bytes;
}

void finish(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
}

void read_memory(benchmark::State& state, std::size_t size) {
  const Bytes& bytes = tensor(DType::float32, size);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + i, 8);
      sum ^= word;
    }
    benchmark::DoNotOptimize(sum);
  }
  finish(state, size);
}

void copy_memory(benchmark::State& state, std::size_t size) {
  const Bytes& source = tensor(DType::float32, size);
  Bytes target(size);
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), size);
    benchmark::ClobberMemory();
  }
  finish(state, size);
}

void hash(benchmark::State& state, std::size_t size) {
  const Bytes& bytes = tensor(DType::float32, size);
  for (auto _ : state) benchmark::DoNotOptimize(content_hash(bytes));
  finish(state, size);
}

void take_fingerprint(benchmark::State& state, DType dtype, std::size_t size) {
  const Bytes& bytes = tensor(dtype, size);
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint(bytes, dtype));
  finish(state, size);
}

// `every`: one element in this many differs by its lowest bit; 0: none.
void compare_pair(benchmark::State& state, DType dtype, std::size_t size, std::size_t every) {
  const std::size_t item = item_size(dtype);
  const std::int64_t shape[] = {static_cast<std::int64_t>(size / item / 512), 512};
  const Bytes& bytes = tensor(dtype, size);
  Bytes other = bytes;
  for (std::size_t i = 0; every > 0 && i < size; i += every * item) other[i] ^= std::byte{1};
  for (auto _ : state) benchmark::DoNotOptimize(compare({dtype, shape, bytes}, {dtype, shape, other}));
  finish(state, 2 * size);
}

void register_dtype(DType dtype, std::size_t size, const std::string& where) {
  const std::string tail = std::string(name(dtype)) + "/" + where;
  benchmark::RegisterBenchmark(("fingerprint/" + tail).c_str(), take_fingerprint, dtype, size);
  benchmark::RegisterBenchmark(("compare_equal/" + tail).c_str(), compare_pair, dtype, size, 0);
  benchmark::RegisterBenchmark(("compare_differing/" + tail).c_str(), compare_pair, dtype, size, 3);
}

void register_all() {
  for (const std::size_t size : sizes) {
    const std::string where = size == sizes[0] ? "cache" : "memory";
    benchmark::RegisterBenchmark(("read/" + where).c_str(), read_memory, size);
    benchmark::RegisterBenchmark(("copy/" + where).c_str(), copy_memory, size);
    benchmark::RegisterBenchmark(("hash/" + where).c_str(), hash, size);
    for (const DType dtype : dtypes) register_dtype(dtype, size, where);
  }
}

}  // namespace
}  // namespace goldentrace

int main(int argc, char** argv) {
  goldentrace::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
