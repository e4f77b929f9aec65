// The byte shuffle of traces/shuffle.h, one byte of the result at a time.
#pragma once

#include <cstddef>

#include "kernels/host_device.h"

namespace goldentrace {

struct ShuffleJob {
  const unsigned char* in;
  unsigned char* out;
  std::size_t bytes;
  std::size_t item_bytes;  // not 0
};

GOLDENTRACE_HD void shuffle_byte(const ShuffleJob& job, std::size_t place) {
  const std::size_t items = job.bytes / job.item_bytes;
  const bool rest = place >= items * job.item_bytes;
  job.out[place] = job.in[rest ? place : place % items * job.item_bytes + place / items];
}

}  // namespace goldentrace
