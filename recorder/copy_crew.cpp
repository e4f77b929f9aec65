#include "recorder/copy_crew.h"

#include <algorithm>
#include <cstring>

#include "recorder/quiet_thread.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace goldentrace {
namespace {

constexpr std::size_t pieces_at_once = 8;  // 128 KiB

#ifdef __SSE2__
// Past the caches: what is copied is read again much later, by another thread.
void stream_copy(std::byte* target, const std::byte* from, std::size_t bytes) {
  const std::size_t lines = bytes / 64;
  for (std::size_t i = 0; i < lines; ++i, target += 64, from += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from);
    auto* line = reinterpret_cast<__m128i*>(target);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
  }
  std::memcpy(target, from, bytes % 64);
  _mm_sfence();
}
#else
void stream_copy(std::byte* target, const std::byte* from, std::size_t bytes) { std::memcpy(target, from, bytes); }
#endif

std::size_t pieces_of(std::size_t bytes) { return (bytes + hash_piece_bytes - 1) / hash_piece_bytes; }

}  // namespace

CopyCrew::~CopyCrew() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Hash128 CopyCrew::run(std::span<const std::byte> bytes, std::byte* target) {
  if (digests_.size() < pieces_of(bytes.size())) digests_.resize(pieces_of(bytes.size()));
  Task task{.bytes = bytes, .target = target, .digests = digests_.data(), .pieces = pieces_of(bytes.size())};
  bytes.size() >= large&& helpers_ > 0 ? share(task) : work(task);
  return piece_hash(std::as_bytes(std::span(digests_).first(task.pieces)));
}

void CopyCrew::share(Task& task) {
  if (threads_.empty()) start();
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    ++number_;
  }
  wake_.notify_all();
  work(task);
  {
    const std::lock_guard lock(mutex_);
    task_ = nullptr;
  }
  // At most one turn of a helper is left.
  while (busy_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

void CopyCrew::work(Task& task) {
  const bool large_copy = task.bytes.size() >= large;
  for (;;) {
    const std::size_t first = task.next.fetch_add(pieces_at_once, std::memory_order_relaxed);
    for (std::size_t piece = first; piece < std::min(first + pieces_at_once, task.pieces); ++piece) {
      const std::size_t at = piece * hash_piece_bytes;
      const auto bytes = task.bytes.subspan(at, std::min(hash_piece_bytes, task.bytes.size() - at));
      task.digests[piece] = piece_hash(bytes);
      if (task.target == nullptr) continue;
      large_copy ? stream_copy(task.target + at, bytes.data(), bytes.size())
                 : static_cast<void>(std::memcpy(task.target + at, bytes.data(), bytes.size()));
    }
    if (first >= task.pieces) return;
  }
}

void CopyCrew::start() {
  for (int i = 0; i < helpers_; ++i) threads_.push_back(quiet_thread([this] { help(); }));
}

void CopyCrew::help() {
  std::uint64_t done = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return closing_ || (task_ != nullptr && number_ != done); });
    if (closing_) return;
    done = number_;
    Task& task = *task_;
    busy_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    work(task);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace goldentrace
