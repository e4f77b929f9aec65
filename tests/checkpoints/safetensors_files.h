// Builds .safetensors files byte by byte, good and bad, in a temporary folder of the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "checkpoints/safetensors.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {

class SafetensorsTest : public ::testing::Test {
 protected:
  const std::filesystem::path& folder() const { return folder_.path(); }

  std::filesystem::path write_text(std::string_view text) const {
    const auto path = folder_ / "file.safetensors";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static std::string with_header(std::string_view json, std::string_view data) {
    std::string file(8, '\0');
    for (int i = 0; i < 8; ++i) file[i] = static_cast<char>(std::uint64_t{json.size()} >> (8 * i));
    return file.append(json).append(data);
  }

  // The message of the Error that opening such a file throws; a failure when it opens.
  std::string refusal(std::string_view text) const {
    try {
      const SafetensorsFile file(write_text(text));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("file.safetensors: "), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    ADD_FAILURE() << "opened: " << text.substr(0, 200);
    return {};
  }

 private:
  testing_support::TemporaryFolder folder_;
};

}  // namespace goldentrace
