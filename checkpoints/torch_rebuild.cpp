#include "checkpoints/torch_rebuild.h"

#include <algorithm>
#include <utility>

#include "checkpoints/torch_names.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::size_t most_dimensions = 64;
constexpr std::string_view torch_prefix = "torch.";
constexpr std::string_view untyped = "torch.storage.UntypedStorage";
constexpr std::string_view from_type = "torch._tensor._rebuild_from_type_v2";

// Position of the arguments of _rebuild_tensor_v2 (v3 has the dtype after them).
enum Argument : std::size_t { storage_argument, offset_argument, shape_argument, strides_argument, dtype_argument = 6 };

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::damaged, what); }

// Of "torch.FloatStorage"; none for anything else.
DType dtype_of_storage(std::string_view qualified) {
  return qualified.starts_with(torch_prefix) ? dtype_of_torch_storage(qualified.substr(torch_prefix.size()))
                                             : DType::none;
}

DType dtype_of_name(std::string_view qualified) {
  return qualified.starts_with(torch_prefix) ? dtype_of_torch_name(qualified.substr(torch_prefix.size())) : DType::none;
}

bool is_parameter(std::string_view name) {
  return name == "torch._utils._rebuild_parameter" || name == "torch._utils._rebuild_parameter_with_state" ||
         name == "torch.nn.parameter.Parameter";
}

bool is_rebuild(std::string_view name) {
  return name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor" ||
         name == "torch._utils._rebuild_tensor_v3";
}

std::uint64_t size_argument(const PickleValue& value, const char* what) {
  const auto number = value.integer();
  if (!number) refuse(std::string(what) + " of a tensor is " + std::string(name(value.kind())));
  if (*number < 0) refuse(std::string("negative ") + what + " of a tensor: " + std::to_string(*number));
  return static_cast<std::uint64_t>(*number);
}

std::vector<std::int64_t> sizes_argument(const PickleValue& value, const char* what) {
  if (!value.is(PickleKind::tuple)) refuse(std::string(what) + " of a tensor is " + std::string(name(value.kind())));
  if (value.size() > most_dimensions) refuse("a tensor of " + std::to_string(value.size()) + " dimensions");
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < value.size(); ++i)
    sizes.push_back(static_cast<std::int64_t>(size_argument(value.item(i), what)));
  return sizes;
}

// Elements; 0 for an empty tensor. Refuses a number beyond `most`: tensors that repeat elements of their storage would
// let a small file ask for any amount of memory.
std::uint64_t checked_count(const StridedTensor& view, std::uint64_t most) {
  if (std::ranges::find(view.shape, 0) != view.shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::int64_t extent : view.shape)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count) || count > most)
      refuse("a tensor " + shape_text(view.shape) + " over a storage of " + std::to_string(most) + " elements");
  return count;
}

// The last element must lie inside the storage of `elements`.
void check_reach(const StridedTensor& view, std::uint64_t offset, std::uint64_t elements) {
  std::uint64_t last = offset;
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    std::uint64_t reach = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(view.shape[i] - 1),
                               static_cast<std::uint64_t>(view.strides[i]), &reach) ||
        __builtin_add_overflow(last, reach, &last) || last >= elements)
      refuse("a tensor " + shape_text(view.shape) + " reaches past its storage of " + std::to_string(elements) +
             " elements");
  }
  if (last >= elements) refuse("a tensor begins past its storage of " + std::to_string(elements) + " elements");
}

// (conj, neg): tensors whose bytes are not their values.
void check_metadata(const PickleValue& arguments, std::size_t at) {
  if (arguments.size() <= at) return;
  arguments.item(at).each_member([](PickleValue key, PickleValue value) {
    if (value.integer().value_or(1) != 0)
      throw Error(ErrorCode::unsupported, "a tensor with " + printable(key.text()) + "; save it with resolve_conj()");
  });
}

struct Storage {
  std::string_view key;
  DType dtype = DType::none;  // none: untyped
  std::uint64_t elements = 0;
};

Storage storage_of(const PickleValue& value) {
  if (!value.is(PickleKind::storage)) refuse("a tensor over " + std::string(name(value.kind())));
  return {.key = value.item(2).text(),
          .dtype = dtype_of_storage(value.item(1).text()),
          .elements = static_cast<std::uint64_t>(*value.item(4).integer())};
}

DType dtype_argument_of(const PickleValue& arguments) {
  const DType dtype = arguments.size() > dtype_argument && arguments.item(dtype_argument).is(PickleKind::global)
                          ? dtype_of_name(arguments.item(dtype_argument).text())
                          : DType::none;
  if (dtype == DType::none) throw Error(ErrorCode::unsupported, "a tensor of a dtype that goldentrace does not know");
  return dtype;
}

PickleRef rebuild(PickleBuilder& builder, const StorageSource& storages, bool has_dtype, const PickleValue& arguments) {
  if (arguments.size() < 4) refuse("a tensor of " + std::to_string(arguments.size()) + " arguments");
  Storage storage = storage_of(arguments.item(storage_argument));
  StridedTensor view{.dtype = storage.dtype};
  if (has_dtype) view.dtype = dtype_argument_of(arguments);
  if (view.dtype == DType::none) refuse("a tensor over an untyped storage, without dtype");
  const std::span<const std::byte> bytes = storages.storage(storage.key);
  const std::uint64_t unit = storage.dtype == DType::none ? 1 : item_size(storage.dtype);
  if (bytes.size() % unit != 0 || bytes.size() / unit != storage.elements)
    refuse("storage " + printable(storage.key.substr(0, 50)) + " says " + std::to_string(storage.elements) +
           " elements, its entry has " + std::to_string(bytes.size()) + " bytes");
  const std::uint64_t elements = bytes.size() / item_size(view.dtype);
  const std::uint64_t offset = size_argument(arguments.item(offset_argument), "offset");
  view.shape = sizes_argument(arguments.item(shape_argument), "shape");
  view.strides = sizes_argument(arguments.item(strides_argument), "stride");
  if (view.shape.size() != view.strides.size()) refuse("a tensor with other numbers of extents and strides");
  check_metadata(arguments, has_dtype ? 7 : 6);
  const bool empty = checked_count(view, elements) == 0;
  if (!empty) check_reach(view, offset, elements);
  view.data = bytes.data() + (empty ? 0 : offset * item_size(view.dtype));
  return builder.add_tensor(std::move(view), storage.key);
}

// (function, type, its arguments, attributes): a tensor with attributes of its own, which are left out.
PickleRef rebuild_from_type(PickleBuilder& builder, const StorageSource& storages, const PickleValue& arguments) {
  const bool fits = arguments.size() == 4 && arguments.item(0).is(PickleKind::global) &&
                    is_rebuild(arguments.item(0).text()) && arguments.item(2).is(PickleKind::tuple);
  if (!fits) throw Error(ErrorCode::unsupported, "a tensor of a class of its own");
  return rebuild(builder, storages, arguments.item(0).text().ends_with("_v3"), arguments.item(2));
}

}  // namespace

bool is_torch_class(std::string_view name) {
  return name == from_type || is_rebuild(name) || is_parameter(name) || dtype_of_storage(name) != DType::none ||
         name == untyped || dtype_of_name(name) != DType::none || name == "torch.Size";
}

PickleRef call_torch(PickleBuilder& builder, const StorageSource& storages, std::string_view name,
                     const PickleValue& arguments) {
  if (is_rebuild(name)) return rebuild(builder, storages, name.ends_with("_v3"), arguments);
  if (name == from_type) return rebuild_from_type(builder, storages, arguments);
  const bool wraps = is_parameter(name) || name == "torch.Size";
  if (!wraps || arguments.size() == 0) refuse(std::string(name) + " is called");
  const PickleKind wanted = is_parameter(name) ? PickleKind::tensor : PickleKind::tuple;
  const PickleValue inner = arguments.item(0);
  if (inner.is(wanted)) return inner.ref();
  if (name == "torch.Size" && inner.is(PickleKind::list)) {
    std::vector<PickleRef> items;
    for (std::size_t i = 0; i < inner.size(); ++i) items.push_back(inner.item(i).ref());
    return builder.add_sequence(PickleKind::tuple, std::move(items));
  }
  refuse(std::string(name) + " of " + std::string(goldentrace::name(inner.kind())));
}

PickleRef make_storage(PickleBuilder& builder, PickleRef persistent_id) {
  const PickleValue id = builder.value(persistent_id);
  const bool fits = id.is(PickleKind::tuple) && id.size() == 5 && id.item(0).is(PickleKind::text) &&
                    id.item(0).text() == "storage" && id.item(1).is(PickleKind::global) &&
                    id.item(2).is(PickleKind::text) && id.item(4).integer() && *id.item(4).integer() >= 0;
  if (!fits) refuse("a persistent id that is no storage");
  const std::string_view type = id.item(1).text();
  if (type != untyped && dtype_of_storage(type) == DType::none)
    throw Error(ErrorCode::unsupported, "storages of type " + printable(type.substr(0, 100)));
  std::vector<PickleRef> items;
  for (std::size_t i = 0; i < id.size(); ++i) items.push_back(id.item(i).ref());
  return builder.add_sequence(PickleKind::storage, std::move(items));
}

}  // namespace goldentrace
