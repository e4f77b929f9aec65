#include "diff/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace goldentrace {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

TEST(WorkQueue, RunsEveryTaskOnce) {
  std::vector<std::atomic<int>> runs(500);
  run_tasks(
      500, [](std::size_t) { return mebibyte; }, [&](std::size_t i) { ++runs[i]; }, {4, 8 * mebibyte});
  for (const auto& each : runs) EXPECT_EQ(each, 1);
}

TEST(WorkQueue, HoldsNoMoreThanTheBudget) {
  std::atomic<std::uint64_t> held = 0;
  std::atomic<std::uint64_t> most = 0;
  const auto task = [&](std::size_t) {
    std::uint64_t now = held += 3 * mebibyte;
    for (std::uint64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    held -= 3 * mebibyte;
  };
  run_tasks(200, [](std::size_t) { return 3 * mebibyte; }, task, {4, 6 * mebibyte});
  EXPECT_LE(most, 6 * mebibyte);
}

TEST(WorkQueue, ATaskAboveTheBudgetRunsAlone) {
  int runs = 0;
  run_tasks(
      3, [](std::size_t) { return 100 * mebibyte; }, [&](std::size_t) { ++runs; }, {1, mebibyte});
  EXPECT_EQ(runs, 3);
}

TEST(WorkQueue, ThrowsTheFirstFailure) {
  const auto fail = [](std::size_t i) {
    if (i >= 3) throw std::runtime_error(std::to_string(i));
  };
  try {
    run_tasks(10, [](std::size_t) { return mebibyte; }, fail, {1, mebibyte});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "3");
  }
}

}  // namespace
}  // namespace goldentrace
