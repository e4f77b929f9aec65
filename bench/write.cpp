// Writes the tensors of a list into a trace, again and again, and times it:
//   bench_write LIST OUT THREADS CODEC ROUNDS [fingerprint]
// LIST: JSON of bench/tensors.py. The time runs from opening the file to its seal on the disk; hashes are part of it,
// with `fingerprint` statistics and sketches too. Prints {"seconds": […], "stored": bytes of payload, "raw": bytes}.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels/fingerprint.h"
#include "traces/trace_writer.h"

namespace goldentrace {
namespace {

using Clock = std::chrono::steady_clock;

struct Tensor {
  Record record;
  std::vector<std::byte> bytes;
};

enum class Figures { hash, fingerprint };

Tensor load(const nlohmann::json& entry, int number) {
  Tensor tensor;
  tensor.record.id.layer = "layer" + std::to_string(number);
  tensor.record.id.role = Role::output;
  tensor.record.id.index = "0";
  tensor.record.dtype = parse_dtype(entry.at("dtype").get<std::string>());
  tensor.record.shape = entry.at("shape").get<Shape>();
  tensor.bytes.resize(static_cast<std::size_t>(byte_count(tensor.record.shape, tensor.record.dtype)));
  std::ifstream file(entry.at("file").get<std::string>(), std::ios::binary);
  file.read(reinterpret_cast<char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
  if (!file) throw std::runtime_error("cannot read " + entry.at("file").get<std::string>());
  return tensor;
}

std::vector<Tensor> load_all(const std::string& list) {
  std::ifstream file(list);
  std::vector<Tensor> tensors;
  for (const auto& entry : nlohmann::json::parse(file))
    tensors.push_back(load(entry, static_cast<int>(tensors.size())));
  return tensors;
}

struct Result {
  double seconds = 0;
  std::uint64_t stored = 0;
};

void put(TraceWriter& writer, std::int64_t row, const Tensor& tensor, Figures figures) {
  Record record = tensor.record;
  if (figures == Figures::fingerprint) {
    record.fingerprint = fingerprint(tensor.bytes, record.dtype);
  } else {
    record.fingerprint.hash = content_hash(tensor.bytes);
  }
  writer.put(row, record, tensor.bytes);
}

Result write(const std::vector<Tensor>& tensors, const std::filesystem::path& path, int threads, Codec codec,
             Figures figures) {
  const auto start = Clock::now();
  TraceWriter writer(path, {.codec = codec});
  for (std::size_t i = 0; i < tensors.size(); ++i) writer.reserve();
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t row = next++; row < tensors.size(); row = next++) {
        put(writer, static_cast<std::int64_t>(row), tensors[row], figures);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  writer.commit();
  const std::uint64_t stored = writer.payload_bytes();
  writer.close();
  return {std::chrono::duration<double>(Clock::now() - start).count(), stored};
}

int run(char** argv, Figures figures) {
  const std::vector<Tensor> tensors = load_all(argv[1]);
  std::uint64_t raw = 0;
  for (const Tensor& tensor : tensors) raw += tensor.bytes.size();
  nlohmann::json result{{"raw", raw}};
  for (int round = 0; round < std::stoi(argv[5]); ++round) {
    const Result one = write(tensors, argv[2], std::stoi(argv[3]), parse_codec(argv[4]), figures);
    result["seconds"].push_back(one.seconds);
    result["stored"] = one.stored;
  }
  std::filesystem::remove(argv[2]);
  std::cout << result.dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace goldentrace

int main(int argc, char** argv) {
  try {
    const bool all = argc == 7 && std::string(argv[6]) == "fingerprint";
    if (argc != 6 && !all) {
      throw std::invalid_argument("usage: bench_write LIST OUT THREADS CODEC ROUNDS [fingerprint]");
    }
    return goldentrace::run(argv, all ? goldentrace::Figures::fingerprint : goldentrace::Figures::hash);
  } catch (const std::exception& failure) {
    std::cerr << "bench_write: " << failure.what() << '\n';
    return 2;
  }
}
