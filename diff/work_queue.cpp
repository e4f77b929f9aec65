#include "diff/work_queue.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace goldentrace {

namespace {

// Starting threads costs more than comparing this much.
constexpr std::uint64_t worth_a_thread = std::uint64_t{4} << 20;

class Queue {
 public:
  Queue(std::size_t count, const std::function<std::uint64_t(std::size_t)>& bytes_of,
        const std::function<void(std::size_t)>& task, std::uint64_t budget)
      : count_(count), bytes_of_(bytes_of), task_(task), budget_(budget) {}

  void work() {
    std::uint64_t bytes = 0;
    for (std::size_t i = take(bytes); i < count_; i = take(bytes)) {
      run(i);
      give_back(bytes);
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::size_t take(std::uint64_t& bytes) {
    std::unique_lock lock(mutex_);
    if (next_ >= count_) return count_;
    const std::size_t i = next_++;
    bytes = bytes_of_(i);
    room_.wait(lock, [&] { return held_ == 0 || held_ + bytes <= budget_; });
    held_ += bytes;
    return i;
  }

  void run(std::size_t i) {
    try {
      task_(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || i < failed_) {
        failure_ = std::current_exception();
        failed_ = i;
      }
      next_ = count_;
    }
  }

  void give_back(std::uint64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      held_ -= bytes;
    }
    room_.notify_all();
  }

  const std::size_t count_;
  const std::function<std::uint64_t(std::size_t)>& bytes_of_;
  const std::function<void(std::size_t)>& task_;
  const std::uint64_t budget_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t next_ = 0;
  std::uint64_t held_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_ = 0;
};

std::size_t thread_count(std::size_t count, std::uint64_t bytes, unsigned asked) {
  const unsigned most = asked > 0 ? asked : std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  const auto useful = static_cast<std::size_t>(bytes / worth_a_thread + 1);
  return std::min({static_cast<std::size_t>(most), count, useful});
}

}  // namespace

void run_tasks(std::size_t count, const std::function<std::uint64_t(std::size_t)>& bytes_of,
               const std::function<void(std::size_t)>& task, WorkLimits limits) {
  if (count == 0) return;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += bytes_of(i);
  Queue queue(count, bytes_of, task, limits.bytes);
  const std::size_t threads = thread_count(count, total, limits.threads);
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back([&queue] { queue.work(); });
    queue.work();
  }
  queue.rethrow();
}

}  // namespace goldentrace
