#include "diff/brought.h"

#include "diff/collective.h"

namespace goldentrace {

namespace {

bool comes_from_outside(const Record& record) {
  return record.id.role == Role::input && record.external && !record.declared;
}

}  // namespace

std::vector<Brought> brought_by_others(std::span<const Record> records) {
  std::vector<Brought> result(records.size(), Brought::no);
  for (std::size_t row = 0; row < records.size(); ++row) {
    const Record& record = records[row];
    if (collective_of(record.id.layer) == Collective::none || !comes_from_outside(record) || record.position == 0)
      continue;
    result[row] = Brought::here;
    // An input of an inner label has that of the outer one as its producer.
    for (std::size_t inner = row; records[inner].producers.size() == 1;) {
      const std::int64_t outer = records[inner].producers.front();
      if (outer < 0 || outer >= static_cast<std::int64_t>(inner)) break;
      inner = static_cast<std::size_t>(outer);
      if (!comes_from_outside(records[inner])) break;
      result[inner] = Brought::through;
    }
  }
  return result;
}

}  // namespace goldentrace
