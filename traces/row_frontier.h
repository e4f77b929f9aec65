// Which rows were put, in whatever order.
#pragma once

#include <cstdint>
#include <unordered_set>

namespace goldentrace {

class RowFrontier {
 public:
  std::int64_t value() const { return value_; }  // every row before it was put
  bool contains(std::int64_t row) const { return row < value_ || early_.contains(row); }

  void put(std::int64_t row) {
    early_.insert(row);
    while (early_.erase(value_) != 0) ++value_;
  }

 private:
  std::int64_t value_ = 0;
  std::unordered_set<std::int64_t> early_;
};

}  // namespace goldentrace
