#include "traces/chunk_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::ElementsAre;

// Chunks take consecutive bytes, leave none out and none twice, and fit their sizes.
TEST(ChunkSplit, CoversTheRow) {
  for (const Shape& row : {Shape{7}, Shape{1, 7}, Shape{7, 1}, Shape{3, 5, 4}, Shape{2, 3, 5, 7}, Shape{1, 1, 1000}}) {
    for (std::size_t most : {1, 4, 16, 64, 100, 4096, 100000}) {
      const ChunkSplit split = ChunkSplit::choose(row, 4, most);
      std::uint64_t at = 0;
      for (std::uint64_t chunk = 0; chunk < split.chunks(); ++chunk) {
        EXPECT_EQ(split.piece(chunk).first, at);
        EXPECT_LE(split.piece(chunk).bytes, split.chunk_bytes());
        at += split.piece(chunk).bytes;
      }
      EXPECT_EQ(at, static_cast<std::uint64_t>(byte_count(row, DType::float32)));
      EXPECT_EQ(at, split.row_bytes());
      EXPECT_LE(split.chunk_bytes(), std::max<std::size_t>(most, 4));
      const ChunkSplit again(row, 4, split.axis(), split.size());
      EXPECT_EQ(again.chunks(), split.chunks());
    }
  }
}

TEST(ChunkSplit, SaysWhereHdf5PutsAChunk) {
  const ChunkSplit split = ChunkSplit::choose({2, 3, 10, 4}, 4, 64);  // four indices of the third axis
  EXPECT_EQ(split.axis(), 2u);
  EXPECT_EQ(split.size(), 4u);
  EXPECT_THAT(split.chunk_sizes(), ElementsAre(1, 1, 4, 4));
  EXPECT_THAT(split.chunk_offset(0), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(split.chunk_offset(2), ElementsAre(0, 0, 8, 0));
  EXPECT_THAT(split.chunk_offset(4), ElementsAre(0, 1, 4, 0));
  EXPECT_THAT(split.chunk_offset(17), ElementsAre(1, 2, 8, 0));
}

TEST(ChunkSplit, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ChunkSplit({4}, 4, 1, 1), Error);
  EXPECT_THROW(ChunkSplit({4}, 4, 0, 0), Error);
  EXPECT_THROW(ChunkSplit({4}, 4, 0, 5), Error);
  EXPECT_THROW(ChunkSplit({0}, 4, 0, 1), Error);
  EXPECT_THROW(ChunkSplit({}, 4, 0, 1), Error);
  EXPECT_THROW(ChunkSplit({std::int64_t{1} << 61}, 8, 0, 1), Error);
}

}  // namespace
}  // namespace goldentrace
