#include "recorder/session.h"

#include <array>
#include <cstring>

#include "recorder/facts.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::atomic<Session*> active{nullptr};
std::atomic<std::uint64_t> next_generation{1};

struct ThisThread {
  std::uint64_t generation = 0;  // of the session that `state` belongs to
  ThreadState* state = nullptr;
};
thread_local ThisThread this_thread;

std::int32_t rank_of(const Header& header) {
  const auto rank = header.find("rank");
  return rank == header.end() ? 0 : static_cast<std::int32_t>(std::stol(rank->second));
}

Hash128 both(const std::string& before, const Hash128& hash) {
  const std::string text = before + to_hex(hash);
  return content_hash(std::as_bytes(std::span(text)));
}

std::optional<Capture> unusable_level(const RecorderOptions& options) {
  return options.golden.empty() ? std::optional(Capture::check) : std::nullopt;
}

}  // namespace

Session::Session(RecorderOptions given)
    : options(std::move(given)),
      generation(next_generation++),
      rank(rank_of(options.header)),
      level(options.capture, options.level_file, unusable_level(options)),
      labels(options.layers),
      sink(options),
      gradients(*this),
      timeline(*this),
      layer_check(*this, options.self_check) {
  Header& header = sink.writer().header();
  header = options.header;
  for (const auto& [name, value] : facts_of_run(options)) header.emplace(name, value);
}

Session::~Session() { gradients.remove_hooks(); }

void Session::identify_input(const std::string& name, const Hash128& hash) {
  std::string& identity = sink.writer().header()["input." + name];
  identity = to_hex(identity.empty() ? hash : both(identity, hash));
}

void Session::fail(std::exception_ptr what) {
  stopped = true;
  if (failure) return;
  try {
    std::rethrow_exception(what);
  } catch (const Error&) {
    failure = what;
  } catch (const std::exception& other) {
    const std::string text = other.what();
    failure = std::make_exception_ptr(Error(
        ErrorCode::internal, "recording stopped: " + text.substr(0, text.find('\n')), {options.output.string(), ""}));
  } catch (...) {
    failure = what;
  }
}

void Session::end(std::string how) {
  ended = std::move(how);
  stopped = true;
}

ThreadState* known_thread_state(const Session& session) {
  return this_thread.generation == session.generation ? this_thread.state : nullptr;
}

ThreadState& thread_state(Session& session) {
  if (ThreadState* known = known_thread_state(session)) return *known;
  const std::lock_guard lock(session.mutex);
  session.threads.push_back(std::make_unique<ThreadState>());
  this_thread = {session.generation, session.threads.back().get()};
  return *this_thread.state;
}

Session* active_session() { return active.load(std::memory_order_acquire); }
void set_active_session(Session* session) { active.store(session, std::memory_order_release); }

bool& Busy::flag() {
  thread_local bool busy = false;
  return busy;
}

}  // namespace goldentrace
