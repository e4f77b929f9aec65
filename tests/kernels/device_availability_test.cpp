// What a program sees on a machine without a CUDA device, or in a build without CUDA.
#include <gtest/gtest.h>

#include "kernels/device_compare.h"
#include "kernels/device_fingerprint.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

TEST(WithoutDevice, EverythingSaysWhy) {
  const std::string reason = why_no_cuda();
  if (reason.empty()) GTEST_SKIP() << "skipped: there is a CUDA device";
  for (const auto& use : {+[] { DeviceFingerprints fingerprints(0); }, +[] { compare_on_device({}, {}, {}); },
                          +[] { shuffle_on_device(nullptr, 0, 1, nullptr, {}); }}) {
    try {
      use();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace goldentrace
