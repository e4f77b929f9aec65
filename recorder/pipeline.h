// Threads that fingerprint, compress and write what was captured, behind the model.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "recorder/buffer_pool.h"
#include "recorder/content.h"
#include "recorder/golden.h"
#include "traces/trace_writer.h"

namespace goldentrace {

enum class Payload {
  none,
  copied,  // of the job's bytes
  known,   // an earlier job put the same content
};

// One record on its way into the file.
struct Job {
  std::int64_t row = 0;  // reserved
  Record record;         // all but the fingerprint
  std::shared_ptr<Content> content;
  std::shared_ptr<const std::byte> bytes;  // content->bytes many; null where an earlier job fills the fingerprint
  std::function<void()> wait_for_bytes;    // empty: they are there
  Payload payload = Payload::none;
  std::size_t sketch_size = 0;
  std::int64_t golden_row = -1;  // of equal content, whose fingerprint is taken; -1: none
};

// Jobs are begun in the order in which they were pushed. The first failure ends it: what is queued is dropped, and
// every later call throws it.
class Pipeline {
 public:
  struct Options {
    int workers = 1;
    std::size_t pool_bytes = 0;
  };

  // Writer and golden (may be null) outlive it. Threads are started by the first job.
  Pipeline(TraceWriter& writer, const Golden* golden, Options options);
  ~Pipeline();  // drops what is queued
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Memory for a job's bytes; null when there is no room.
  std::shared_ptr<std::byte> room(std::size_t bytes) { return pool_->take(bytes); }
  bool can_ever_hold(std::size_t bytes) const { return pool_->can_ever_hold(bytes); }

  void push(Job job);
  void flush();  // small jobs wait for company no longer
  // On the calling thread, with bytes that lie elsewhere. Only jobs that need no earlier one.
  void run_here(const Job& job, std::span<const std::byte> bytes) { run(job, bytes); }

  void finish();  // waits for all jobs; throws the first failure

 private:
  void start();
  void work();
  void run(const Job& job, std::span<const std::byte> bytes);
  Fingerprint fingerprint_of(const Job& job, std::span<const std::byte> bytes) const;
  void fail(std::exception_ptr failure);
  void throw_failure() const;  // under the lock
  bool take_job(Job& job);

  TraceWriter& writer_;
  const Golden* golden_;
  const Options options_;
  const std::shared_ptr<BufferPool> pool_;

  std::mutex mutex_;
  std::condition_variable pushed_;  // or closing
  std::condition_variable ended_;   // a job
  std::deque<Job> queue_;
  std::size_t running_ = 0;
  std::size_t idle_ = 0;
  bool closing_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace goldentrace
