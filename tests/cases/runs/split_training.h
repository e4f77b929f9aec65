// A small model trained on micro-batches and data-parallel ranks, recorded, with one thing done wrong where asked.
#pragma once

#include <cstdint>
#include <filesystem>

namespace goldentrace::cases {

struct SplitTraining {
  std::int64_t micros = 1;
  std::int32_t ranks = 1;  // one after another in this process
  double dropout = 0;      // each rank draws from a seed of its own

  // Faults.
  bool divides_loss = true;         // by the number of micro-batches
  std::int32_t lost_rank = -1;      // whose gradient is left out of the total
  double total_factor = 1;          // of the reduced gradient
  std::int64_t early_update = -1;   // the micro-batch before which the optimizer makes its step
  std::int32_t drifting_rank = -1;  // whose layers.2 has another weight from step 1 on
  bool has_one_seed = false;        // all ranks draw from that of rank 0
};

// Linear(4, 6), ReLU with dropout, Linear(6, 3), mean squared error, SGD; three steps of 16 rows.
void record(const std::filesystem::path& path, const SplitTraining& options);

}  // namespace goldentrace::cases
