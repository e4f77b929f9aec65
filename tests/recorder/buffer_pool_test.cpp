#include "recorder/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace goldentrace {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(BufferPool, BuffersLieApartAndAligned) {
  const auto pool = BufferPool::make(4 * mib);
  const auto a = pool->take(100), b = pool->take(1), c = pool->take(64);
  for (const auto& buffer : {a, b, c}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % 64, 0u);
  EXPECT_GE(b.get(), a.get() + 100);
  EXPECT_GE(c.get(), b.get() + 1);
}

TEST(BufferPool, NoRoomIsNull) {
  const auto pool = BufferPool::make(4 * mib);
  const auto most = pool->take(3 * mib);
  EXPECT_EQ(pool->take(2 * mib), nullptr);
  EXPECT_TRUE(pool->can_ever_hold(2 * mib));
  EXPECT_FALSE(pool->can_ever_hold(5 * mib));
}

TEST(BufferPool, NeighboursThatCameBackAreOneAgain) {
  const auto pool = BufferPool::make(4 * mib);
  std::vector<std::shared_ptr<std::byte>> all;
  for (int i = 0; i < 4; ++i) all.push_back(pool->take(mib));
  for (const std::size_t i : {1u, 3u, 0u, 2u}) all[i].reset();
  EXPECT_EQ(pool->used(), 0u);
  EXPECT_NE(pool->take(4 * mib), nullptr);
}

TEST(BufferPool, UsedMemoryIsPreferred) {
  const auto pool = BufferPool::make(64 * mib);
  for (int i = 0; i < 100; ++i) {
    const auto buffer = pool->take(mib);
    std::memset(buffer.get(), i, mib);
  }
  EXPECT_LE(pool->touched(), 2 * mib);
}

TEST(BufferPool, TouchingAheadIsBoundedAndChangesNothing) {
  const auto pool = BufferPool::make(64 * mib);
  const auto buffer = pool->take(3 * mib);
  std::memset(buffer.get(), 7, 3 * mib);
  while (pool->touch_ahead()) {
  }
  EXPECT_GE(pool->touched(), 6 * mib);
  EXPECT_LE(pool->touched(), 8 * mib);
  EXPECT_EQ(buffer.get()[3 * mib - 1], std::byte{7});
}

TEST(BufferPool, OutlivesItsOwnerWhileABufferIsOut) {
  auto pool = BufferPool::make(mib);
  const auto buffer = pool->take(1000);
  pool.reset();
  std::memset(buffer.get(), 1, 1000);
}

TEST(BufferPool, ThreadsTakeAndGiveBack) {
  const auto pool = BufferPool::make(2 * mib);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&pool, number] {
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t bytes = 1 + i * 977 % 200000;
        const auto buffer = pool->take(bytes);
        if (!buffer) continue;
        std::memset(buffer.get(), number, bytes);
        ASSERT_EQ(buffer.get()[bytes / 2], static_cast<std::byte>(number));
        if (i % 16 == 0) pool->touch_ahead();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->used(), 0u);
}

}  // namespace
}  // namespace goldentrace
