#include "recorder/copy_crew.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/traces/sample_trace.h"
#include "traces/hash.h"

namespace goldentrace {
namespace {

using testing_support::Bytes;
using testing_support::random_bytes;

class Crew : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Helpers, Crew, testing::Values(0, 1, 3));

TEST_P(Crew, HashesAndCopies) {
  CopyCrew crew(GetParam());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16383}, std::size_t{16384},
                                 std::size_t{16385}, CopyCrew::large, CopyCrew::large * 5 + 77}) {
    const Bytes bytes = random_bytes(size + 1, size);
    // As the pool gives it.
    const std::unique_ptr<std::byte[], decltype(&std::free)> target(
        static_cast<std::byte*>(std::aligned_alloc(64, size / 64 * 64 + 64)), &std::free);
    EXPECT_EQ(crew.hash(bytes), content_hash(bytes)) << size;
    EXPECT_EQ(crew.copy(bytes, target.get()), content_hash(bytes)) << size;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), target.get())) << size;
  }
}

// A helper that comes late must not touch the next content's digests.
TEST_P(Crew, OneContentAfterAnother) {
  CopyCrew crew(GetParam());
  std::vector<Bytes> contents;
  std::vector<Hash128> hashes;
  for (std::uint64_t i = 0; i < 4; ++i) {
    contents.push_back(random_bytes(i + 1, CopyCrew::large + 20000 * i));
    hashes.push_back(content_hash(contents.back()));
  }
  for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(crew.hash(contents[i % 4]), hashes[i % 4]) << i;
}

}  // namespace
}  // namespace goldentrace
