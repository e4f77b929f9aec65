#include "traces/sketch_store.h"

namespace goldentrace {

SketchLocation SketchStore::store(const JournalRecord& record) {
  if (record.sketch.empty()) return {.table = record.sketch_table, .first = 0, .count = record.sketch_count};
  const auto [found, is_new] =
      known_.try_emplace({record.record.fingerprint.hash, record.record.dtype, record.sketch_count});
  if (is_new) found->second = append(record);
  return found->second;
}

SketchLocation SketchStore::append(const JournalRecord& record) {
  ChunkedStream& stream = record.sketch_table == format::SketchTable::float64 ? float64_ : float32_;
  const SketchLocation location{record.sketch_table, stream.rows(), record.sketch_count};
  stream.append(record.sketch);
  return location;
}

void SketchStore::finish() {
  float32_.finish();
  float64_.finish();
}

}  // namespace goldentrace
