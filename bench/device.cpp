// Throughput of the CUDA kernels beside the copy bandwidth of the same device in the same run, as Markdown rows.
// Bytes per second count every input byte once (compare: both tensors; copy: its source), times include launches.
// Needs no library but the driver; without a device it says so and exits 0.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device_compare.h"
#include "kernels/device_fingerprint.h"
#include "kernels/device_memory.h"
#include "kernels/sketch.h"

namespace goldentrace {
namespace {

constexpr std::size_t sizes[] = {std::size_t{1} << 20, std::size_t{16} << 20, std::size_t{256} << 20};
constexpr int launches = 20;  // timed together
constexpr int repeats = 7;    // of which the median counts

double median_seconds(const DeviceStream& stream, const std::function<void()>& enqueue) {
  std::vector<double> seconds;
  for (int i = 0; i <= repeats; ++i) {
    stream.wait();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < launches; ++k) enqueue();
    stream.wait();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i > 0) seconds.push_back(taken.count() / launches);  // the first one warms up
  }
  std::ranges::nth_element(seconds, seconds.begin() + repeats / 2);
  return seconds[repeats / 2];
}

// Finite in every floating type.
std::vector<std::byte> contents(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = splitmix64(i) & 0xBFBFBFBFBFBFBFBF;
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

class Rows {
 public:
  explicit Rows(std::size_t size)
      : size_(size), bytes_(0, contents(size)), other_(0, contents(size)), target_(0, size) {}

  void print() {
    print_row("copy", "", size_, [&] { copy_on_device(target_.data(), bytes_.data(), size_, stream_); });
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::complex64,
                              DType::int64, DType::uint8, DType::float8_e4m3fn}) {
      DeviceFingerprints fingerprints(0);
      print_row("fingerprint", name(dtype), size_, [&] {
        fingerprints.launch({bytes_.data(), size_, dtype}, stream_.get());
      });
      fingerprints.collect();
    }
    for (const DType dtype : {DType::float32, DType::bfloat16}) print_compare(dtype);
    for (const std::size_t item : {2, 4}) {
      print_row("shuffle", std::to_string(item) + " bytes", size_, [&] {
        shuffle_on_device(bytes_.data(), size_, item, target_.data(), {0, stream_.get()});
      });
    }
  }

 private:
  void print_compare(DType dtype) {
    const std::int64_t shape[] = {static_cast<std::int64_t>(size_ / item_size(dtype) / 512), 512};
    print_row("compare", name(dtype), 2 * size_, [&] {
      compare_on_device({dtype, shape, bytes_.span()}, {dtype, shape, other_.span()}, {0, stream_.get()});
    });
  }

  void print_row(std::string_view kernel, std::string_view what, std::size_t bytes,
                 const std::function<void()>& enqueue) {
    const double rate = static_cast<double>(bytes) / median_seconds(stream_, enqueue) / 1e9;
    if (kernel == "copy") copy_rate_ = rate;
    std::printf("| %zu MiB | %.*s | %.*s | %.0f | %.2f |\n", size_ >> 20, static_cast<int>(kernel.size()),
                kernel.data(), static_cast<int>(what.size()), what.data(), rate, rate / copy_rate_);
    std::fflush(stdout);
  }

  std::size_t size_;
  DeviceBytes bytes_, other_, target_;
  DeviceStream stream_{0};
  double copy_rate_ = 0;
};

int run() {
  if (const std::string reason = why_no_cuda(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 0;
  }
  const DeviceFacts facts = device_facts(0);
  std::printf("Device: %s, compute capability %d.%d, %.0f GB.\n\n", facts.name, facts.compute_capability / 10,
              facts.compute_capability % 10, static_cast<double>(facts.memory_bytes) / 1e9);
  std::printf("| tensor | kernel | of | GB/s | of copy rate |\n|---|---|---|---|---|\n");
  for (const std::size_t size : sizes) Rows(size).print();
  return 0;
}

}  // namespace
}  // namespace goldentrace

int main() {
  try {
    return goldentrace::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_device: %s\n", error.what());
    return 2;
  }
}
