#include "traces/string_table.h"

namespace goldentrace {
namespace {

// Longer texts are not kept in memory.
constexpr std::size_t short_bytes = 256;

}  // namespace

std::uint64_t StringTable::add(std::string_view text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  const std::uint64_t next = ends_.rows();
  std::uint64_t number = next;
  if (text.size() <= short_bytes) {
    number = short_.try_emplace(std::string(text), next).first->second;
  } else {
    number = long_.try_emplace(content_hash(bytes), next).first->second;
  }
  if (number != next) return number;
  bytes_.append(bytes);
  end_ += text.size();
  ends_.append(std::as_bytes(std::span(&end_, 1)));
  return number;
}

void StringTable::finish() {
  bytes_.finish();
  ends_.finish();
}

}  // namespace goldentrace
