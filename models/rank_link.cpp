#include "models/rank_link.h"

#include <ATen/ops/empty.h>
#include <ATen/record_function.h>

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "traces/printable.h"

namespace goldentrace {
namespace {

using Milliseconds = std::chrono::milliseconds;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

constexpr const char* loopback = "127.0.0.1";
constexpr Milliseconds short_wait(1000), farewell(5000), poll_interval(2);

std::string seconds(Milliseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return whole > 0 ? std::to_string(whole) + " s" : std::to_string(time.count()) + " ms";
}

std::string rank_text(std::int64_t rank) { return "rank " + std::to_string(rank); }

bool is_local(const RankPlace& place) {
  return !place.file.empty() || place.address == "localhost" || place.address == "::1" ||
         place.address.starts_with("127.");
}

StorePointer open_file(const RankPlace& place) {
  return c10::make_intrusive<c10d::FileStore>(place.file.string(), static_cast<int>(place.ranks));
}

StorePointer open_port(const RankPlace& place, Milliseconds patience) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.port_is_served;
  options.waitWorkers = false;
  options.timeout = patience;
  try {
    return c10::make_intrusive<c10d::TCPStore>(place.address, options);
  } catch (const std::exception& error) {
    const std::string where = place.address + ":" + std::to_string(place.port), why = error.what();
    if (options.isServer)
      throw Error(ErrorCode::input_output,
                  "cannot serve the meeting point " + where + ": " + printable(why.substr(0, why.find('\n'))));
    throw RankLost("nobody answered at " + where + " within " + seconds(patience) + ", where the ranks meet");
  }
}

c10::intrusive_ptr<c10d::ProcessGroupGloo> connect(const RankPlace& place, const StorePointer& store,
                                                   Milliseconds patience) {
  auto options = c10d::ProcessGroupGloo::Options::create(patience);
  options->devices.push_back(is_local(place) ? c10d::ProcessGroupGloo::createDeviceForHostname(loopback)
                                             : c10d::ProcessGroupGloo::createDefaultDevice());
  try {
    return c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                       static_cast<int>(place.ranks), options);
  } catch (const std::exception& error) {
    const std::string why = error.what();
    throw RankLost("cannot connect to the other ranks: " + printable(why.substr(0, why.find('\n'))));
  }
}

}  // namespace

struct RankLink::State {
  State(const RankPlace& given, Milliseconds time)
      : place(given), patience(time), store(given.file.empty() ? open_port(given, time) : open_file(given)) {
    meet();
    group = connect(place, store, patience);
  }

  void meet() {
    store->set("goldentrace/here/" + std::to_string(place.rank), std::string("1"));
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (std::int64_t rank = 0; rank < place.ranks; ++rank)
      if (!comes("goldentrace/here/" + std::to_string(rank), deadline))
        throw RankLost(rank_text(rank) + " of " + std::to_string(place.ranks) + " did not come within " +
                       seconds(patience));
  }

  // Stores wait at least once, whatever is left of the time.
  bool comes(const std::string& key, std::chrono::steady_clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    try {
      store->wait({key}, std::max(left, Milliseconds(1)));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  // Posts all transfers, then waits for one after the other. `peer` is whose transfer is at hand when one fails.
  void transfer(const std::vector<std::int64_t>& members, const at::Tensor& mine, std::vector<at::Tensor>& parts,
                std::int32_t tag, std::int64_t& peer) {
    std::vector<std::pair<std::int64_t, c10::intrusive_ptr<c10d::Work>>> works;
    std::vector<at::Tensor> sent{mine};
    for (std::size_t i = 0; i < members.size(); ++i) {
      if ((peer = members[i]) == place.rank) continue;
      std::vector<at::Tensor> part{parts[i]};
      works.emplace_back(peer, group->recv(part, static_cast<int>(peer), tag));
      works.emplace_back(peer, group->send(sent, static_cast<int>(peer), tag));
    }
    for (auto& [other, work] : works) {
      peer = other;
      work->wait(patience);
    }
  }

  // The first rank that found another one missing tells all: those that it leaves behind would blame it.
  [[noreturn]] void lose(std::int64_t rank, const std::string& what, const std::string& why) {
    const bool late = why.find("imed out") != std::string::npos;
    std::string text = late ? rank_text(rank) + " did not send its part of " + what + " within " + seconds(patience)
                            : rank_text(rank) + " ended before its part of " + what + " came";
    if (const std::int64_t first = first_lost(rank); first != rank) text += ", after " + rank_text(first) + " was lost";
    throw RankLost(text);
  }

  std::int64_t first_lost(std::int64_t rank) noexcept try {
    store->setTimeout(short_wait);
    if (store->add("goldentrace/losses", 1) == 1) store->set("goldentrace/lost", std::to_string(rank));
    return std::stoll(store->get_to_str("goldentrace/lost"));
  } catch (...) {
    return rank;
  }

  const RankPlace place;
  const Milliseconds patience;
  StorePointer store;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
};

std::string ranks_missing() { return ""; }

RankLink::RankLink(const RankPlace& place, Milliseconds patience) : state_(std::make_unique<State>(place, patience)) {}
RankLink::~RankLink() = default;

std::int64_t RankLink::rank() const { return state_->place.rank; }
std::int64_t RankLink::ranks() const { return state_->place.ranks; }

std::vector<at::Tensor> RankLink::exchange(const std::vector<std::int64_t>& members, const at::Tensor& mine,
                                           std::int32_t tag, const std::string& what) {
  const at::DisableRecordFunctionGuard unobserved;
  const at::Tensor sent = mine.detach().contiguous();
  std::vector<at::Tensor> parts;
  for (const std::int64_t member : members)
    parts.push_back(member == rank() ? sent : at::empty(sent.sizes(), sent.options()));
  std::int64_t peer = rank();
  try {
    state_->transfer(members, sent, parts, tag, peer);
  } catch (const std::exception& error) {
    state_->lose(peer, what, error.what());
  }
  return parts;
}

std::string RankLink::of_first(const std::string& key, const std::string& text) {
  const std::string name = "goldentrace/text/" + key;
  if (rank() == 0) state_->store->set(name, text);
  if (!state_->comes(name, std::chrono::steady_clock::now() + state_->patience))
    throw RankLost("rank 0 did not tell its " + key + " within " + seconds(state_->patience));
  return state_->store->get_to_str(name);
}

// Rank 0 may serve the store that the others ask.
void RankLink::leave() {
  State& s = *state_;
  s.store->set("goldentrace/done/" + std::to_string(rank()), std::string("1"));
  const auto deadline = std::chrono::steady_clock::now() + s.patience;
  for (std::int64_t other = 0; other < ranks(); ++other)
    if (!s.comes("goldentrace/done/" + std::to_string(other), deadline))
      throw RankLost(rank_text(other) + " did not end within " + seconds(s.patience) + " of this one");
  if (rank() != 0) return static_cast<void>(s.store->add("goldentrace/gone", 1));
  const auto last = std::chrono::steady_clock::now() + farewell;
  while (s.store->add("goldentrace/gone", 0) < ranks() - 1 && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(poll_interval);
}

}  // namespace goldentrace
