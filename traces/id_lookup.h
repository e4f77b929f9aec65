// Records by the hash of their id, for look-up by id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/record.h"

namespace goldentrace {

class IdLookup {
 public:
  explicit IdLookup(const std::vector<Record>& records) {
    entries_.reserve(records.size());
    for (std::size_t row = 0; row < records.size(); ++row) entries_.emplace_back(key(records[row].id), row);
    std::sort(entries_.begin(), entries_.end());
  }

  std::optional<std::int64_t> find(const std::vector<Record>& records, const RecordId& id) const {
    const std::uint64_t wanted = key(id);
    auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::pair{wanted, std::size_t{0}});
    for (; entry != entries_.end() && entry->first == wanted; ++entry) {
      if (records[entry->second].id == id) return static_cast<std::int64_t>(entry->second);
    }
    return std::nullopt;
  }

 private:
  static std::uint64_t key(const RecordId& id) {
    std::uint64_t sum = std::hash<std::string_view>()(id.layer) * 31 + std::hash<std::string_view>()(id.index);
    for (auto part : {id.step, id.micro, std::int64_t{id.rank}, std::int64_t{id.call},
                      static_cast<std::int64_t>(id.pass), static_cast<std::int64_t>(id.role)}) {
      sum = (sum ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15ull;
    }
    return sum;
  }

  std::vector<std::pair<std::uint64_t, std::size_t>> entries_;
};

}  // namespace goldentrace
