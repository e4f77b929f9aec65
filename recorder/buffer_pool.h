// Bounded memory for bytes on their way to the file: touched beforehand, reused, given back by whoever is last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace goldentrace {

// One stretch of address space of which only what was needed is ever touched. Any thread.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // Error(input_output) when the system refuses the address space.
  static std::shared_ptr<BufferPool> make(std::size_t capacity);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Aligned to 64 bytes, content undefined; null when there is no room. Goes back with its last reference, which keeps
  // the pool alive.
  std::shared_ptr<std::byte> take(std::size_t bytes);
  // Fits into an empty pool.
  bool can_ever_hold(std::size_t bytes) const { return rounded(bytes) <= capacity_; }

  // Touches some memory that was never used and may be needed soon; false when there is none. First touches cost
  // 10-50 times as much as a copy: workers call this while they have nothing else to do.
  bool touch_ahead();

  std::size_t used() const;     // bytes
  std::size_t touched() const;  // bytes, an upper bound of what the pool costs

 private:
  explicit BufferPool(std::size_t capacity);
  static std::size_t rounded(std::size_t bytes);
  void give_back(std::size_t offset, std::size_t bytes);

  const std::size_t capacity_;
  std::byte* memory_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;  // offset → bytes; neighbours are joined
  std::size_t used_ = 0;
  std::size_t highest_ = 0;  // end of the memory that was ever in use
  std::size_t touched_ = 0;
};

}  // namespace goldentrace
