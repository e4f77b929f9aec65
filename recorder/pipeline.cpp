#include "recorder/pipeline.h"

#include <utility>

#include "kernels/fingerprint.h"
#include "recorder/quiet_thread.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// Small jobs wait for company: waking a thread costs the model more than sending a job.
constexpr std::size_t worth_waking = 65536;
constexpr std::size_t group = 16;

}  // namespace

Pipeline::Pipeline(TraceWriter& writer, const Golden* golden, Options options)
    : writer_(writer), golden_(golden), options_(options), pool_(BufferPool::make(options.pool_bytes)) {}

Pipeline::~Pipeline() {
  fail(std::make_exception_ptr(Error(ErrorCode::internal, "the recording is over")));
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  pushed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pipeline::push(Job job) {
  const std::lock_guard lock(mutex_);
  throw_failure();
  if (threads_.empty()) start();
  queue_.push_back(std::move(job));
  const std::size_t bytes = queue_.back().bytes ? queue_.back().content->bytes : 0;
  if (idle_ > 0 && (bytes >= worth_waking || queue_.size() >= group)) pushed_.notify_one();
}

void Pipeline::flush() { pushed_.notify_all(); }

void Pipeline::finish() {
  flush();
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return failure_ || (queue_.empty() && running_ == 0); });
  throw_failure();
}

void Pipeline::start() {
  for (int i = 0; i < options_.workers; ++i) threads_.push_back(quiet_thread([this] { work(); }));
}

bool Pipeline::take_job(Job& job) {
  std::unique_lock lock(mutex_);
  while (queue_.empty() && !closing_) {
    lock.unlock();
    const bool touched = pool_->touch_ahead();
    lock.lock();
    if (touched || !queue_.empty() || closing_) continue;
    ++idle_;
    pushed_.wait(lock);
    --idle_;
  }
  if (closing_) return false;
  job = std::move(queue_.front());
  queue_.pop_front();
  ++running_;
  return true;
}

void Pipeline::work() {
  for (Job job; take_job(job);) {
    try {
      if (job.wait_for_bytes) job.wait_for_bytes();
      run(job, {job.bytes.get(), job.content->bytes});
    } catch (...) {
      job.content->give_up();
      fail(std::current_exception());
    }
    job = Job();  // gives its memory back
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    ended_.notify_all();
  }
}

void Pipeline::run(const Job& job, std::span<const std::byte> bytes) {
  Content& content = *job.content;
  if ((bytes.data() != nullptr || job.golden_row >= 0) && content.claim()) content.fill(fingerprint_of(job, bytes));
  const Fingerprint* fingerprint = content.wait();
  if (fingerprint == nullptr) return;  // the pipeline has failed
  Record record = job.record;
  record.fingerprint = *fingerprint;
  if (job.payload == Payload::known) {
    content.wait_until_in_file();
    writer_.put_known(job.row, record);
  } else {
    writer_.put(job.row, record, job.payload == Payload::copied ? bytes : std::span<const std::byte>());
  }
  if (job.payload == Payload::copied) content.set_in_file();
}

Fingerprint Pipeline::fingerprint_of(const Job& job, std::span<const std::byte> bytes) const {
  if (job.golden_row >= 0) return golden_->fingerprint(job.golden_row);
  return fingerprint(bytes, job.content->dtype, FingerprintOptions{job.sketch_size});
}

void Pipeline::fail(std::exception_ptr failure) {
  std::deque<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    dropped.swap(queue_);
  }
  for (const Job& job : dropped) job.content->give_up();
  ended_.notify_all();
}

void Pipeline::throw_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace goldentrace
