// Copies and hashes large contents on the calling thread and on helpers that would idle otherwise.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "traces/hash.h"

namespace goldentrace {

// Helpers are started when they are needed for the first time. One caller at a time.
class CopyCrew {
 public:
  // Contents of fewer bytes are not worth waking anybody.
  static constexpr std::size_t large = std::size_t{1} << 20;

  explicit CopyCrew(int helpers) : helpers_(helpers) {}
  ~CopyCrew();
  CopyCrew(const CopyCrew&) = delete;
  CopyCrew& operator=(const CopyCrew&) = delete;

  // The content_hash. Nobody may write the bytes meanwhile.
  Hash128 hash(std::span<const std::byte> bytes) { return run(bytes, nullptr); }
  // Copies as well; past the caches where the content is large. `target` has as many bytes.
  Hash128 copy(std::span<const std::byte> bytes, std::byte* target) { return run(bytes, target); }

 private:
  struct Task {
    std::span<const std::byte> bytes;
    std::byte* target = nullptr;  // null: hash only
    Hash128* digests = nullptr;   // one for each piece
    std::size_t pieces = 0;
    std::atomic<std::size_t> next{0};
  };

  Hash128 run(std::span<const std::byte> bytes, std::byte* target);
  void share(Task& task);
  static void work(Task& task);
  void help();
  void start();

  const int helpers_;
  std::vector<std::thread> threads_;
  std::vector<Hash128> digests_;

  std::mutex mutex_;
  std::condition_variable wake_;
  Task* task_ = nullptr;
  std::uint64_t number_ = 0;  // of the task
  bool closing_ = false;
  std::atomic<int> busy_{0};  // helpers inside the task
};

}  // namespace goldentrace
