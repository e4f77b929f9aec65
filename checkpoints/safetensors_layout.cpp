#include "checkpoints/safetensors_layout.h"

#include <algorithm>
#include <limits>

#include "checkpoints/safetensors_header.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const SafetensorsEntry& entry, const std::string& what) {
  throw Error(ErrorCode::damaged, "tensor " + shown_name(entry.name) + ": " + what);
}

std::uint64_t checked_product(const SafetensorsEntry& entry, std::span<const std::uint64_t> shape) {
  std::uint64_t product = item_size(entry.dtype);
  const bool empty = std::ranges::find(shape, 0u) != shape.end();
  for (const std::uint64_t extent : shape) {
    if (extent > std::numeric_limits<std::int64_t>::max()) refuse(entry, "impossible shape");
    if (!empty && __builtin_mul_overflow(product, extent, &product)) refuse(entry, "impossible shape");
  }
  return empty ? 0 : product;
}

std::vector<const SafetensorsEntry*> sorted_by(const std::vector<SafetensorsEntry>& entries, auto key) {
  std::vector<const SafetensorsEntry*> sorted;
  for (const SafetensorsEntry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, key);
  return sorted;
}

void check_names(const std::vector<SafetensorsEntry>& entries) {
  const auto by_name = sorted_by(entries, [](const SafetensorsEntry* e) -> const std::string& { return e->name; });
  for (std::size_t i = 1; i < by_name.size(); ++i)
    if (by_name[i]->name == by_name[i - 1]->name) refuse(*by_name[i], "named twice");
}

}  // namespace

void place_entry(SafetensorsEntry& entry, std::span<const std::uint64_t> shape, std::uint64_t begin,
                 std::uint64_t end) {
  if (begin > end) refuse(entry, "data_offsets are reversed: " + std::to_string(begin) + ", " + std::to_string(end));
  const std::uint64_t size = checked_product(entry, shape);
  if (end - begin != size)
    refuse(entry,
           "shape and dtype need " + std::to_string(size) + " bytes, data_offsets span " + std::to_string(end - begin));
  entry.shape.assign(shape.begin(), shape.end());
  entry.offset = begin;
  entry.size = size;
}

void check_layout(const std::vector<SafetensorsEntry>& entries) {
  check_names(entries);
  const auto by_offset = sorted_by(entries, [](const SafetensorsEntry* e) { return std::pair(e->offset, e->size); });
  std::uint64_t end = 0;
  for (const SafetensorsEntry* entry : by_offset) {
    if (entry->offset < end) refuse(*entry, "overlaps the tensor before it");
    if (entry->offset > end) refuse(*entry, "a hole of " + std::to_string(entry->offset - end) + " bytes before it");
    end = entry->offset + entry->size;
  }
}

std::uint64_t data_size(const std::vector<SafetensorsEntry>& entries) {
  std::uint64_t end = 0;
  for (const SafetensorsEntry& entry : entries) end = std::max(end, entry.offset + entry.size);
  return end;
}

}  // namespace goldentrace
