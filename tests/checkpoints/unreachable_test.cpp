// Paths that the system does not follow: an Error of ours, never an exception of the standard library.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "checkpoints/checkpoint_listing.h"
#include "checkpoints/convert.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

class UnreachablePath : public testing::Test {
 protected:
  UnreachablePath() { fs::create_symlink(loop_, loop_); }

  const testing_support::TemporaryFolder folder_;
  const fs::path loop_ = folder_ / "loop";
};

TEST_F(UnreachablePath, IsNoCheckpoint) {
  EXPECT_THROW(read_checkpoint(loop_, {}), Error);
  EXPECT_THROW(read_checkpoint(loop_ / "model", {}), Error);
  EXPECT_THROW(list_checkpoint(loop_, UnknownClass::refuse), Error);
}

TEST_F(UnreachablePath, IsNoOutputFolder) {
  EXPECT_THROW(OutputFolder{loop_}, Error);
  EXPECT_THROW(OutputFolder{loop_ / "out"}, Error);
}

TEST_F(UnreachablePath, FilesOfACheckpoint) {
  for (const char* name : {"config.json", "latest", "latest_checkpointed_iteration.txt", "mp_rank_00"}) {
    const fs::path model = folder_ / (std::string("of-") + name);
    fs::create_directory(model);
    fs::create_symlink(loop_, model / name);
    EXPECT_THROW(read_checkpoint(model, {}), Error) << name;
  }
}

}  // namespace
}  // namespace goldentrace
