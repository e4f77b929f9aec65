#include "recorder/golden.h"

#include <span>
#include <vector>

namespace goldentrace {

Golden::Golden(const std::filesystem::path& path) : reader_(path) {
  const std::vector<Record>& records = reader_.records();
  rows_.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    rows_.emplace(key_of(records[i].id, records[i].position), static_cast<std::int64_t>(i));
  }
}

Golden::Key Golden::key_of(RecordId id, std::int32_t position) {
  id.index.clear();
  return {std::move(id), position};
}

std::optional<std::int64_t> Golden::find(const RecordId& id, std::int32_t position) const {
  const auto found = rows_.find(key_of(id, position));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

bool Golden::has_equal(std::int64_t row, const Record& record) const {
  const Record& known = reader_.records()[static_cast<std::size_t>(row)];
  return known.dtype == record.dtype && known.shape == record.shape &&
         known.fingerprint.hash == record.fingerprint.hash;
}

bool Golden::has_sketches(std::size_t sketch_size) const {
  const auto declared = reader_.header().find("capture.sketch_size");
  return declared != reader_.header().end() && declared->second == std::to_string(sketch_size);
}

Fingerprint Golden::fingerprint(std::int64_t row) const {
  Fingerprint fingerprint = reader_.records()[static_cast<std::size_t>(row)].fingerprint;
  fingerprint.sketch = reader_.sketch(row);
  return fingerprint;
}

std::string Golden::identity() const {
  std::vector<Hash128> hashes;
  for (const Record& record : reader_.records()) hashes.push_back(record.fingerprint.hash);
  return to_hex(content_hash(std::as_bytes(std::span(hashes))));
}

}  // namespace goldentrace
