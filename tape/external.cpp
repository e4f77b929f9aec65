#include "tape/external.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "tape/boundary.h"
#include "tape/dtypes.h"
#include "tape/failure.h"
#include "tape/strided.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

std::string value_name(const TapeValue& value) {
  return std::string(name(value.role)) + " " + (value.index.empty() ? std::to_string(value.position) : value.index);
}

void check(const TapeValue& value, const ExternalContent& content) {
  if (content.shape != value.shape) {
    throw Error(ErrorCode::incomparable, value_name(value) + " has shape " + shape_text(content.shape) +
                                             ", the tape wants " + shape_text(value.shape));
  }
  if (content.bytes.size() != static_cast<std::size_t>(byte_count(content.shape, content.dtype))) {
    throw Error(ErrorCode::damaged,
                value_name(value) + " has " + std::to_string(content.bytes.size()) + " bytes, not those of its shape");
  }
}

at::Tensor flat(std::int64_t elements, at::ScalarType type) { return at::detail::empty_cpu({elements}, type); }

std::span<std::byte> memory(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.mutable_data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

// The values that share one storage, and the elements it needs.
struct Storage {
  std::vector<std::size_t> externals;
  std::int64_t elements = 0;
};

class Restorer {
 public:
  Restorer(const Tape& tape, const std::vector<ExternalContent>& contents, const RestoreOptions& options)
      : tape_(tape), rows_(external_values(tape)), contents_(contents), options_(options), made_(rows_.size()) {
    if (contents.size() != rows_.size()) {
      throw Error(ErrorCode::internal, "the tape reads " + std::to_string(rows_.size()) + " tensors, " +
                                           std::to_string(contents.size()) + " were given");
    }
  }

  std::vector<at::Tensor> go() {
    const c10::AutoGradMode no_grad(false);
    for (const Storage& storage : storages()) fill(storage);
    for (std::size_t i = 0; i < made_.size(); ++i) set_gradient(i);
    return std::move(made_);
  }

 private:
  const TapeValue& value(std::size_t external) const { return tape_.values[static_cast<std::size_t>(rows_[external])]; }

  std::vector<Storage> storages() const {
    std::vector<Storage> all;
    std::map<std::int32_t, std::size_t> numbered;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      check(value(i), contents_[i]);
      const auto known = numbered.find(value(i).storage);
      const bool shares = value(i).storage >= 0 && known != numbered.end();
      if (!shares) numbered[value(i).storage] = all.size();
      Storage& storage = shares ? all[known->second] : all.emplace_back();
      storage.externals.push_back(i);
      storage.elements = std::max(storage.elements, elements(value(i), value(storage.externals.front())));
    }
    return all;
  }

  // In elements of the storage's first tensor.
  static std::int64_t elements(const TapeValue& value, const TapeValue& first) {
    const auto own = static_cast<std::int64_t>(item_size(value.dtype));
    const auto unit = static_cast<std::int64_t>(item_size(first.dtype));
    const std::int64_t bytes = storage_elements(value.shape, value.strides, value.offset) * own;
    return (bytes + unit - 1) / unit;
  }

  void fill(const Storage& storage) {
    const TapeValue& first = value(storage.externals.front());
    at::Tensor whole = flat(storage.elements, to_scalar_type(first.dtype));
    for (const std::size_t i : storage.externals) place(i, whole);
    whole = moved(std::move(whole), storage);
    for (const std::size_t i : storage.externals) made_[i] = view(value(i), whole);
  }

  void place(std::size_t external, const at::Tensor& whole) const {
    const TapeValue& wanted = value(external);
    ExternalContent content = contents_[external];
    at::Tensor converted;
    if (content.dtype != wanted.dtype) {
      converted = tensor_from(content).to(to_scalar_type(wanted.dtype));
      content.bytes = memory(converted);
    }
    scatter(content.bytes, item_size(wanted.dtype), wanted.shape, wanted.strides, wanted.offset, memory(whole));
  }

  at::Tensor moved(at::Tensor whole, const Storage& storage) const {
    const TapeValue& first = value(storage.externals.front());
    const bool mixed = std::any_of(storage.externals.begin(), storage.externals.end(),
                                   [&](std::size_t i) { return value(i).dtype != first.dtype; });
    if (mixed && options_.dtype != DType::none) {
      throw Error(ErrorCode::unsupported, value_name(first) + " shares memory with a tensor of another dtype");
    }
    const at::ScalarType type = moved_to(whole.scalar_type(), options_.dtype);
    if (type != whole.scalar_type()) whole = whole.to(type);
    return options_.device ? whole.to(*options_.device) : whole;
  }

  at::Tensor view(const TapeValue& value, const at::Tensor& whole) const {
    const at::ScalarType type = moved_to(to_scalar_type(value.dtype), options_.dtype);
    at::Tensor made = at::empty({0}, whole.options().dtype(type));
    return made.set_(whole.storage(), value.offset, value.shape, value.strides);
  }

  void set_gradient(std::size_t external) {
    at::Tensor& tensor = made_[external];
    const bool possible = tensor.is_floating_point() || tensor.is_complex();
    if (!value(external).requires_grad || !possible) return;
    if (value(external).role == Role::input) {
      make_boundary(tensor);
    } else {
      tensor.set_requires_grad(true);
    }
  }

  const Tape& tape_;
  const std::vector<ValueIndex> rows_;
  const std::vector<ExternalContent>& contents_;
  const RestoreOptions& options_;
  std::vector<at::Tensor> made_;
};

}  // namespace

std::vector<ValueIndex> external_values(const Tape& tape) {
  std::vector<ValueIndex> rows;
  for (std::size_t i = 0; i < tape.values.size(); ++i) {
    if (tape.values[i].source == ValueSource::external) rows.push_back(static_cast<ValueIndex>(i));
  }
  return rows;
}

std::vector<at::Tensor> restore_externals(const Tape& tape, const std::vector<ExternalContent>& contents,
                                          const RestoreOptions& options) {
  try {
    return Restorer(tape, contents, options).go();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    throw Error(ErrorCode::damaged, "the tensors that the tape starts from: " + one_line(exception));
  }
}

at::Tensor tensor_from(const ExternalContent& content) {
  at::Tensor tensor = at::detail::empty_cpu(content.shape, to_scalar_type(content.dtype));
  if (!content.bytes.empty()) std::memcpy(tensor.mutable_data_ptr(), content.bytes.data(), content.bytes.size());
  return tensor;
}

std::vector<std::byte> bytes_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().cpu().contiguous();
  std::vector<std::byte> bytes(plain.nbytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), plain.const_data_ptr(), bytes.size());
  return bytes;
}

}  // namespace goldentrace
