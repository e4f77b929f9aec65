// Arithmetic and copying on one thread and on two at once, before anything else is measured: on a shared machine the
// second core may not be there. Prints [[name, unit, one, two], …].
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr double run_seconds = 0.5;
constexpr std::size_t copy_bytes = 64 << 20;

template <typename Work>
double rate(Work work) {
  const auto start = Clock::now();
  double done = 0, passed = 0;
  while (passed < run_seconds) {
    done += work();
    passed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return done / passed;
}

double arithmetic() {
  std::uint64_t state = 1;
  for (int i = 0; i < 1'000'000; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
  volatile std::uint64_t sink = state;
  static_cast<void>(sink);
  return 1e-3;  // 10^9 operations
}

struct Copy {
  std::vector<char> from = std::vector<char>(copy_bytes, 1), to = std::vector<char>(copy_bytes);
  double operator()() {
    std::memcpy(to.data(), from.data(), copy_bytes);
    return copy_bytes / 1e9;
  }
};

template <typename Work>
double rate_of_two(Work& first, Work& second) {
  double other = 0;
  std::thread thread([&] { other = rate([&] { return second(); }); });
  const double own = rate([&] { return first(); });
  thread.join();
  return own + other;
}

template <typename Work>
nlohmann::json row(const char* name, const char* unit, Work first, Work second) {
  const double one = rate([&] { return first(); });
  return {name, unit, one, rate_of_two(first, second)};
}

}  // namespace

int main() {
  nlohmann::json rows;
  rows.push_back(row("integer arithmetic", "G/s", &arithmetic, &arithmetic));
  rows.push_back(row("copying", "GB/s", Copy(), Copy()));
  std::cout << rows.dump() << '\n';
}
