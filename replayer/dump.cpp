#include "replayer/dump.h"

#include <utility>

#include "kernels/fingerprint.h"
#include "tape/dtypes.h"
#include "tape/external.h"

namespace goldentrace {
namespace {

bool is_gradient(Role role) {
  return role == Role::grad_output || role == Role::grad_input || role == Role::param_grad;
}

}  // namespace

Dump::Dump(const std::filesystem::path& path, const TraceReader& source, const Header& extra)
    : source_(source), writer_(path) {
  writer_.header() = source.header();
  for (const auto& [name, value] : extra) writer_.header()[name] = value;
}

void Dump::add(const CallSource& source, const Tape& tape, const LayerRun& run) {
  const std::pair micro{source.key.step, source.key.micro};
  if (micro != micro_) flush();
  micro_ = micro;
  for (const auto& [place, tensor] : run.tensors) {
    const auto& [role, position] = place;
    const auto row = source.table.row(is_gradient(role) ? backward_of(source.key) : source.key, role, position);
    if (row) pending_[*row] = tensor;
  }
  const auto call = source.table.call(source.key);
  if (!call) return;
  LayerCall copy = source_.calls()[static_cast<std::size_t>(*call)];
  copy.parent = -1;
  copy.tape = writer_.add_tape(tape);
  if (copy.random >= 0) copy.random = writer_.add_blob(source_.blob(copy.random));
  writer_.add_call(copy);
}

void Dump::write(std::int64_t row, const at::Tensor& tensor) {
  Record record = source_.records()[static_cast<std::size_t>(row)];
  const std::vector<std::byte> bytes = bytes_of(tensor);
  record.dtype = to_dtype(tensor.scalar_type());
  record.shape = tensor.sizes().vec();
  record.dropped = false;
  record.fingerprint = fingerprint(bytes, record.dtype);
  std::erase_if(record.producers, [&](std::int64_t producer) { return !rows_.contains(producer); });
  for (std::int64_t& producer : record.producers) producer = rows_.at(producer);
  static constexpr std::byte none{};
  rows_[row] = writer_.add(record, bytes.empty() ? std::span(&none, 0) : std::span(bytes));
}

void Dump::flush() {
  for (const auto& [row, tensor] : pending_) write(row, tensor);
  pending_.clear();
}

void Dump::close() {
  flush();
  writer_.close();
}

}  // namespace goldentrace
