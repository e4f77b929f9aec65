#include "recorder/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t page = std::size_t{2} << 20;  // a huge one: the step in which memory is touched

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

std::shared_ptr<BufferPool> BufferPool::make(std::size_t capacity) {
  return std::shared_ptr<BufferPool>(new BufferPool(capacity));
}

BufferPool::BufferPool(std::size_t capacity) : capacity_(rounded_up(std::max<std::size_t>(capacity, 1), page)) {
  void* memory = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::input_output,
                "no address space for a pool of " + std::to_string(capacity_) + " bytes; make it smaller");
  }
  memory_ = static_cast<std::byte*>(memory);
  madvise(memory, capacity_, MADV_HUGEPAGE);
  free_.emplace(0, capacity_);
}

BufferPool::~BufferPool() { munmap(memory_, capacity_); }

std::size_t BufferPool::rounded(std::size_t bytes) { return rounded_up(std::max<std::size_t>(bytes, 1), alignment); }

// The lowest place: memory that was used before is preferred to memory that was not.
std::shared_ptr<std::byte> BufferPool::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  std::size_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(free_.begin(), free_.end(), [&](const auto& gap) { return gap.second >= size; });
    if (place == free_.end()) return nullptr;
    offset = place->first;
    const std::size_t rest = place->second - size;
    free_.erase(place);
    if (rest > 0) free_.emplace(offset + size, rest);
    used_ += size;
    highest_ = std::max(highest_, offset + size);
    touched_ = std::max(touched_, highest_);
  }
  return {memory_ + offset, [self = shared_from_this(), offset, size](std::byte*) { self->give_back(offset, size); }};
}

void BufferPool::give_back(std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  auto place = free_.emplace(offset, bytes).first;
  if (const auto next = std::next(place); next != free_.end() && next->first == offset + bytes) {
    place->second += next->second;
    free_.erase(next);
  }
  if (place == free_.begin()) return;
  if (const auto before = std::prev(place); before->first + before->second == offset) {
    before->second += place->second;
    free_.erase(place);
  }
}

// As much again as was ever needed.
bool BufferPool::touch_ahead() {
  std::size_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    begin = rounded_up(touched_, page);
    if (begin >= capacity_ || begin >= std::max(2 * highest_, page)) return false;
    touched_ = begin + page;
  }
  // A write of what is there: a buffer may have been taken meanwhile. Where the kernel cannot, nothing is touched.
  madvise(memory_ + begin, page, MADV_POPULATE_WRITE);
  return true;
}

std::size_t BufferPool::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

std::size_t BufferPool::touched() const {
  const std::lock_guard lock(mutex_);
  return touched_;
}

}  // namespace goldentrace
