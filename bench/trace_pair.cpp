// Writes two traces of the same random tensors:
//   bench_trace_pair A B DTYPE TENSORS ELEMENTS CHANGE
// DTYPE: float32 or bfloat16. CHANGE, in B: `all` (every element one unit in the last place larger), `tenth` (every
// tenth tensor so), `none`. Tensors are [ELEMENTS / 1024, 1024] where that fits, else flat; layers of 50 outputs each.
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/fingerprint.h"
#include "traces/trace_writer.h"

namespace goldentrace {
namespace {

constexpr std::int64_t outputs_of_a_layer = 50;

using Bits = std::vector<std::uint32_t>;  // of float32; bfloat16 is the upper half

Bits normal_numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  Bits bits(count);
  for (std::uint32_t& each : bits) {
    const float value = normal(engine);
    std::memcpy(&each, &value, sizeof each);
  }
  return bits;
}

std::vector<std::byte> bytes_of(const Bits& numbers, DType dtype, std::uint32_t added) {
  std::vector<std::byte> bytes(numbers.size() * item_size(dtype));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (dtype == DType::float32) {
      const std::uint32_t value = numbers[i] + added;
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    } else {
      const auto value = static_cast<std::uint16_t>((numbers[i] >> 16) + added);
      std::memcpy(bytes.data() + 2 * i, &value, 2);
    }
  }
  return bytes;
}

Record record_of(std::int64_t number, DType dtype, std::int64_t elements) {
  Record record;
  record.id.layer = "layers." + std::to_string(number / outputs_of_a_layer);
  record.position = static_cast<std::int32_t>(number % outputs_of_a_layer);
  record.id.index = std::to_string(record.position);
  record.dtype = dtype;
  record.shape = elements % 1024 == 0 ? Shape{elements / 1024, 1024} : Shape{elements};
  if (number > 0) record.producers = {number - 1};
  return record;
}

void add(TraceWriter& writer, Record record, const std::vector<std::byte>& bytes) {
  record.fingerprint = fingerprint(bytes, record.dtype);
  writer.add(record, bytes);
}

bool is_changed(const std::string& change, std::int64_t number) {
  if (change != "all" && change != "tenth" && change != "none") throw std::invalid_argument("unknown change " + change);
  return change == "all" || (change == "tenth" && number % 10 == 9);
}

int run(char** argv) {
  TraceWriter a(argv[1]);
  TraceWriter b(argv[2]);
  const DType dtype = parse_dtype(argv[3]);
  const std::int64_t tensors = std::stoll(argv[4]);
  const std::int64_t elements = std::stoll(argv[5]);
  for (std::int64_t number = 0; number < tensors; ++number) {
    const Bits numbers = normal_numbers(static_cast<std::size_t>(elements), static_cast<std::uint32_t>(number));
    const Record record = record_of(number, dtype, elements);
    add(a, record, bytes_of(numbers, dtype, 0));
    add(b, record, bytes_of(numbers, dtype, is_changed(argv[6], number) ? 1 : 0));
  }
  a.close();
  b.close();
  return 0;
}

}  // namespace
}  // namespace goldentrace

int main(int argc, char** argv) {
  try {
    if (argc != 7) throw std::invalid_argument("usage: bench_trace_pair A B DTYPE TENSORS ELEMENTS CHANGE");
    return goldentrace::run(argv);
  } catch (const std::exception& failure) {
    std::cerr << "bench_trace_pair: " << failure.what() << '\n';
    return 2;
  }
}
