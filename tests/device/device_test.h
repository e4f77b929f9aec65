// Tests that need a CUDA device; without one they are skipped and say why.
#pragma once

#include <gtest/gtest.h>

#include "kernels/device_fingerprint.h"

namespace goldentrace::testing {

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_cuda(); !reason.empty()) GTEST_SKIP() << "skipped: " << reason;
  }
};

}  // namespace goldentrace::testing
