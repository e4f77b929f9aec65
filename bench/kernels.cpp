// Fingerprint and compare per dtype, beside the memory bandwidth of the same machine in the same run.
// Bytes per second count every byte that is read once: both tensors for compare and copy's source alone for copy.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/compare.h"
#include "kernels/fingerprint.h"

namespace goldentrace {
namespace {

using Bytes = std::vector<std::byte>;

// The first fits in a core's own cache together with its twin, the second is a large layer's weight.
constexpr std::size_t sizes[] = {std::size_t{512} << 10, std::size_t{256} << 20};

const DType dtypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::complex64,
                        DType::int64,   DType::int32,   DType::uint8,   DType::boolean};

// Finite values of every floating dtype: the high bit of each exponent stays clear.
Bytes filled(std::size_t size) {
  std::mt19937_64 random(1);
  Bytes bytes(size);
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t word = random() & 0xBFFFBFFFBFFFBFFF;
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

const Bytes& tensor(std::size_t size) {
  static const Bytes small = filled(sizes[0]), large = filled(sizes[1]);
  return size == sizes[0] ? small : large;
}

void finish(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
}

void read_memory(benchmark::State& state, std::size_t size) {
  const Bytes& bytes = tensor(size);
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
  Bytes target(size);
  for (auto _ : state) {
    std::memcpy(target.data(), tensor(size).data(), size);
    benchmark::ClobberMemory();
  }
  finish(state, size);
}

void hash(benchmark::State& state, std::size_t size) {
  for (auto _ : state) benchmark::DoNotOptimize(content_hash(tensor(size)));
  finish(state, size);
}

void take_fingerprint(benchmark::State& state, DType dtype, std::size_t size) {
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint(tensor(size), dtype));
  finish(state, size);
}

// `every`: one element in this many differs by its lowest bit; 0: none.
void compare_pair(benchmark::State& state, DType dtype, std::size_t size, std::size_t every) {
  const std::size_t item = item_size(dtype);
  const std::int64_t shape[] = {static_cast<std::int64_t>(size / item / 512), 512};
  Bytes other = tensor(size);
  for (std::size_t i = 0; every > 0 && i < size; i += every * item) other[i] ^= std::byte{1};
  for (auto _ : state) benchmark::DoNotOptimize(compare({dtype, shape, tensor(size)}, {dtype, shape, other}));
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
