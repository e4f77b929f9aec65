#include "recorder/random_state.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cstring>
#include <mutex>
#include <span>

namespace goldentrace {
namespace {

at::Tensor present_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

std::span<const std::byte> bytes_of(const at::Tensor& state) {
  return {static_cast<const std::byte*>(state.const_data_ptr()), static_cast<std::size_t>(state.numel())};
}

bool are_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::int64_t RandomState::at_entry(TraceWriter& writer) {
  at::Tensor state = present_state();
  if (blob_ < 0 || !are_equal(bytes_of(state), bytes_of(last_))) {
    blob_ = writer.add_blob(bytes_of(state));
    last_ = std::move(state);
  }
  return blob_;
}

}  // namespace goldentrace
