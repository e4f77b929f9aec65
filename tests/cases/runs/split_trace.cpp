#include "tests/cases/runs/split_trace.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <cstring>
#include <optional>

namespace goldentrace::cases {
namespace {

at::ScalarType scalar_type(DType dtype) { return dtype == DType::float32 ? at::kFloat : at::kLong; }

at::Tensor tensor_of(const Record& record, const std::vector<std::byte>& bytes) {
  at::Tensor result = at::empty(record.shape, scalar_type(record.dtype));
  std::memcpy(result.data_ptr(), bytes.data(), bytes.size());
  return result;
}

testing::Tensor recorded_form(const at::Tensor& value, DType dtype) {
  const at::Tensor dense = value.contiguous();
  std::vector<std::byte> bytes(dense.nbytes());
  std::memcpy(bytes.data(), dense.data_ptr(), bytes.size());
  return {dtype, {dense.sizes().begin(), dense.sizes().end()}, bytes};
}

// Which part of a tensor a rank has.
enum class Cut { none, rows, last, heads, third_axis, second_axis, gated_rows, gated_last, share };

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

class Splitter {
 public:
  Splitter(const TraceReader& whole, const SplitOptions& options, testing::MemoryTrace& trace)
      : whole_(whole), o_(options), trace_(trace) {}

  void run() {
    trace_.header = whole_.header();
    trace_.header["ranks"] = trace_.header["ranks.tensor"] = std::to_string(o_.ranks);
    trace_.header["ranks.data"] = "1";
    for (std::int64_t rank = 0; rank < o_.ranks; ++rank) add_rank(rank);
  }

 private:
  void add_rank(std::int64_t rank) {
    const auto& records = whole_.records();
    std::vector<std::int64_t> row_of(records.size(), -1);
    for (std::size_t row = 0; row < records.size(); ++row) {
      const Record& record = records[row];
      if (o_.takes && !o_.takes(record.id)) continue;
      const at::Tensor value = tensor_of(record, whole_.payload(static_cast<std::int64_t>(row)));
      std::vector<std::int64_t> from;
      for (const std::int64_t producer : record.producers) from.push_back(row_of[static_cast<std::size_t>(producer)]);
      if (is_row_parallel(record.id)) from = {add_reduction(record, value, from, rank)};
      row_of[row] = add(record, part(value, cut_of(record.id), rank), from, rank);
    }
  }

  static bool is_row_parallel(const RecordId& id) {
    const bool layer = id.layer.ends_with("self_attention.dense") || id.layer.ends_with("mlp.dense_4h_to_h");
    return layer && id.role == Role::output;
  }

  std::int64_t add(const Record& record, const at::Tensor& value, std::vector<std::int64_t> from, std::int64_t rank) {
    RecordId id = record.id;
    id.rank = static_cast<std::int32_t>(o_.data * o_.ranks + rank);
    const std::int64_t row = trace_.add(id, recorded_form(value, record.dtype), std::move(from), record.position);
    trace_.records.back().declared = record.declared;
    trace_.records.back().external = record.external;
    return row;
  }

  std::int64_t add_reduction(const Record& record, const at::Tensor& value, std::vector<std::int64_t> from,
                             std::int64_t rank) {
    Record label = record;
    label.id.layer += ".all_reduce";
    label.position = 0;
    label.id.role = Role::input;
    const std::int64_t brought = add(label, part(value, Cut::share, rank), std::move(from), rank);
    label.id.role = Role::output;
    return add(label, value, {brought}, rank);
  }

  Cut cut_of(const RecordId& id) const {
    if (id.role == Role::param || id.role == Role::param_grad) return weight_cut(id.layer + '.' + id.index);
    const bool enters = id.role == Role::input || id.role == Role::grad_input;
    const auto is = [&](const char* name) { return id.layer.ends_with(name); };
    if (is(".query_key_value")) return !enters ? Cut::last : id.role == Role::grad_input ? Cut::share : Cut::none;
    if (is(".dense_h_to_4h")) {
      if (!enters) return o_.gated ? Cut::gated_last : Cut::last;
      return id.role == Role::grad_input ? Cut::share : Cut::none;
    }
    if (is(".query") || is(".key") || is(".value")) return enters ? Cut::third_axis : Cut::heads;
    if (is(".scores")) return enters ? Cut::heads : Cut::second_axis;
    if (is(".probs") || is(".attention_dropout")) return Cut::second_axis;
    if (is(".context")) return !enters ? Cut::last : id.index == "1" ? Cut::second_axis : Cut::heads;
    if (is(".activation")) return enters && o_.gated ? Cut::gated_last : Cut::last;
    if (is(".self_attention.dense") || is(".dense_4h_to_h")) return enters ? Cut::last : Cut::none;
    return id.layer == "logits" && id.role == Role::grad_input ? Cut::share : Cut::none;
  }

  Cut weight_cut(const std::string& name) const {
    if (has(name, "query_key_value")) return Cut::rows;
    if (has(name, "dense_h_to_4h")) return o_.gated ? Cut::gated_rows : Cut::rows;
    if (has(name, "dense_4h_to_h.weight") || has(name, "dense.weight")) return Cut::last;
    if (has(name, "word_embeddings") || name.starts_with("logits")) return Cut::rows;
    return Cut::none;
  }

  at::Tensor chunk(const at::Tensor& value, std::int64_t axis, std::int64_t rank) const {
    return value.chunk(o_.ranks, axis)[static_cast<std::size_t>(rank)];
  }

  at::Tensor gated(const at::Tensor& value, std::int64_t axis, std::int64_t rank) const {
    const std::vector<at::Tensor> halves = value.chunk(2, axis);
    return at::cat({chunk(halves[0], axis, rank), chunk(halves[1], axis, rank)}, axis);
  }

  at::Tensor of_heads(const at::Tensor& value, std::int64_t rank) const {
    const at::Tensor apart = value.view({value.size(0), -1, o_.heads, value.size(2)});
    return chunk(apart, 2, rank).reshape({value.size(0), -1, value.size(2)});
  }

  at::Tensor part(const at::Tensor& value, Cut cut, std::int64_t rank) const {
    switch (cut) {
      case Cut::none:
        return value;
      case Cut::rows:
        return chunk(value, 0, rank);
      case Cut::last:
        return chunk(value, -1, rank);
      case Cut::heads:
        return of_heads(value, rank);
      case Cut::third_axis:
        return chunk(value, 2, rank);
      case Cut::second_axis:
        return chunk(value, 1, rank);
      case Cut::gated_rows:
        return gated(value, 0, rank);
      case Cut::gated_last:
        return gated(value, -1, rank);
      case Cut::share:
        return value.mul(1.0 / static_cast<double>(o_.ranks));
    }
    return value;
  }

  const TraceReader& whole_;
  const SplitOptions& o_;
  testing::MemoryTrace& trace_;
};

}  // namespace

void split_over_ranks(const TraceReader& whole, const SplitOptions& options, testing::MemoryTrace& trace) {
  Splitter(whole, options, trace).run();
}

}  // namespace goldentrace::cases
