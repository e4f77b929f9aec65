// The golden that a recording is checked against while it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

#include "recorder/record_id_hash.h"
#include "traces/trace_reader.h"

namespace goldentrace {

// Records of the two are the same when step, micro, rank, pass, layer, call, role and position are.
// After construction all members may be called from several threads.
class Golden {
 public:
  // The errors of TraceReader.
  explicit Golden(const std::filesystem::path& path);

  // The golden's row of the same record; empty when it has none.
  std::optional<std::int64_t> find(const RecordId& id, std::int32_t position) const;
  const Record& record(std::int64_t row) const { return reader_.records()[static_cast<std::size_t>(row)]; }
  // Equal in dtype, shape and hash.
  bool has_equal(std::int64_t row, const Record& record) const;
  // Its fingerprints are those of a recording with this size of sketches.
  bool has_sketches(std::size_t sketch_size) const;
  Fingerprint fingerprint(std::int64_t row) const;

  const std::filesystem::path& path() const { return reader_.path(); }
  std::string file_name() const { return reader_.path().filename().string(); }
  // Names the golden's content: a hash over the hashes of its records.
  std::string identity() const;

 private:
  struct Key {
    RecordId id;  // without index
    std::int32_t position;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return RecordIdHash()(key.id) ^ static_cast<std::size_t>(key.position) * 0x9E3779B97F4A7C15u;
    }
  };
  static Key key_of(RecordId id, std::int32_t position);

  TraceReader reader_;
  std::unordered_map<Key, std::int64_t, KeyHash> rows_;
};

}  // namespace goldentrace
