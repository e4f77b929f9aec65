#include "tests/kernels/recorded_tensors.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "traces/record_id.h"
#include "traces/trace_reader.h"

namespace goldentrace::testing {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "goldentrace-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void record(const std::string& arguments, const fs::path& out) {
  const char* bin = std::getenv("GOLDENTRACE_BIN");
  if (bin == nullptr) throw std::runtime_error("GOLDENTRACE_BIN is not set");
  const std::string command = std::string(bin) + "/gtrace record " + arguments + " -o " + out.string() + " >/dev/null";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

bool fits(const Record& record) {
  const std::int64_t elements = element_count(record.shape);
  return record.dtype == DType::float32 && record.shape.size() >= 2 && elements >= 2048 && elements <= 300000 &&
         record.fingerprint.statistics.l2 > 0;
}

void add_tensors(const fs::path& path, std::vector<TensorSample>& tensors) {
  const TraceReader trace(path);
  std::set<Hash128> seen;
  for (std::size_t row = 0; row < trace.records().size(); ++row) {
    const Record& record = trace.records()[row];
    const auto number = static_cast<std::int64_t>(row);
    if (!fits(record) || !trace.has_payload(number) || !seen.insert(record.fingerprint.hash).second) continue;
    const std::vector<std::byte> bytes = trace.payload(number);
    TensorSample tensor{to_string(record.id), std::vector<float>(bytes.size() / 4),
                        static_cast<std::size_t>(record.shape.back())};
    std::memcpy(tensor.values.data(), bytes.data(), bytes.size());
    tensors.push_back(std::move(tensor));
  }
}

}  // namespace

std::vector<TensorSample> recorded_tensors(std::size_t count) {
  const Folder folder;
  record("gpt --layers 2 --hidden 96 --heads 4 --seq 64 --batch 2 --steps 2 --vocab 500", folder.path() / "gpt.h5");
  record("mlp --num_epochs 1 --batch_size 32 --input_dim 192 --train_dataset_len 128", folder.path() / "mlp.h5");
  std::vector<TensorSample> all, picked;
  add_tensors(folder.path() / "gpt.h5", all);
  add_tensors(folder.path() / "mlp.h5", all);
  if (all.size() < count) throw std::runtime_error("only " + std::to_string(all.size()) + " recorded tensors");
  for (std::size_t i = 0; i < count; ++i) picked.push_back(std::move(all[i * all.size() / count]));
  return picked;
}

}  // namespace goldentrace::testing
