// Replays the kept corpus of every reader and mutates it with a seeded generator. A compiler with libFuzzer makes
// better mutations (fuzz_libfuzzer.cpp); this one is in every build. Usage: fuzz_checkpoints --corpus FOLDER
// [--iterations N]
// [--seconds N] [--seed N] [--target NAME].
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>

#include "tests/checkpoints/fuzz_targets.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path corpus;
  std::uint64_t iterations = 3000;
  double seconds = 0;  // 0: iterations decide
  std::uint64_t seed = 1;
  std::string target;  // empty: all
};

std::vector<std::string> read_corpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> corpus;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string bytes = corpus_[below(corpus_.size())];
    for (std::uint64_t i = 0, count = 1 + below(6); i < count; ++i) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& bytes) {
    static constexpr unsigned char striking[]{0, 1, 0x7f, 0x80, 0xff, '(', '.', '}', '{', '"', '[', '9', '-'};
    const std::size_t at = below(bytes.size() + 1);
    const std::string& other = corpus_[below(corpus_.size())];
    const std::size_t from = below(other.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(striking[below(std::size(striking))]);
        break;
      case 2:
        bytes.erase(at, below(16));
        break;
      case 3:
        bytes.insert(at, other, from, below(32));
        break;
      case 4:
        bytes.insert(at, 1 + below(8), static_cast<char>(striking[below(std::size(striking))]));
        break;
      default:
        bytes.insert(at, bytes, below(bytes.size() + 1), below(16));
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

void feed(const FuzzTarget& target, const std::string& bytes) { target.run(std::as_bytes(std::span(bytes))); }

int fuzz(const FuzzTarget& target, const Options& options) {
  const std::vector<std::string> corpus = read_corpus(options.corpus / target.name);
  if (corpus.empty()) {
    std::cerr << "no corpus of " << target.name << '\n';
    return 1;
  }
  for (const std::string& bytes : corpus) feed(target, bytes);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t done = 0;
  Mutator mutator(corpus, options.seed);
  for (; options.seconds > 0 ? elapsed() < options.seconds : done < options.iterations; ++done) {
    try {
      feed(target, mutator.next());
    } catch (const std::exception& error) {
      std::cerr << target.name << ": " << error.what() << "\nrepeat: fuzz_checkpoints --target " << target.name
                << " --iterations " << done + 1 << " --seed " << options.seed << '\n';
      return 1;
    }
  }
  std::cout << target.name << ": " << corpus.size() << " files, " << done << " mutations in " << elapsed() << " s\n";
  return 0;
}

// A forged size must not be believed: such an allocation fails here.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{rlim_t{512} << 20, rlim_t{512} << 20};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace
}  // namespace goldentrace

int main(int count, char** arguments) {
  goldentrace::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i], value = arguments[i + 1];
    if (name == "--corpus") options.corpus = value;
    if (name == "--iterations") options.iterations = std::stoull(value);
    if (name == "--seconds") options.seconds = std::stod(value);
    if (name == "--seed") options.seed = std::stoull(value);
    if (name == "--target") options.target = value;
  }
  goldentrace::limit_memory();
  int result = 0;
  for (const goldentrace::FuzzTarget& target : goldentrace::fuzz_targets())
    if (options.target.empty() || options.target == target.name) result |= goldentrace::fuzz(target, options);
  return result;
}
