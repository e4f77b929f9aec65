// Where sketches go: one flat table of float32 and one of float64. Equal content of equal dtype has one sketch.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "traces/chunked_stream.h"
#include "traces/journal_record.h"

namespace goldentrace {

struct SketchLocation {
  format::SketchTable table = format::SketchTable::none;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

class SketchStore {
 public:
  SketchStore(ChunkedStream float32, ChunkedStream float64)
      : float32_(std::move(float32)), float64_(std::move(float64)) {}

  SketchLocation store(const JournalRecord& record);
  void finish();
  const ChunkedStream& float32() const { return float32_; }
  const ChunkedStream& float64() const { return float64_; }

 private:
  SketchLocation append(const JournalRecord& record);

  ChunkedStream float32_;
  ChunkedStream float64_;
  std::map<std::tuple<Hash128, DType, std::size_t>, SketchLocation> known_;
};

}  // namespace goldentrace
