#include "checkpoints/pickle_writer.h"

#include <bit>

#include "checkpoints/little_endian.h"
#include "checkpoints/pickle_opcodes.h"
#include "checkpoints/strided_tensor.h"
#include "checkpoints/torch_names.h"

namespace goldentrace {
namespace {

class Pickler {
 public:
  explicit Pickler(std::vector<const TensorSource*>& storages) : storages_(storages) {}

  std::string write(const TorchDict& content) {
    put(PickleOpcode::proto);
    text_ += '\x02';
    put(content);
    put(PickleOpcode::stop);
    return std::move(text_);
  }

 private:
  void put(PickleOpcode opcode) { text_ += static_cast<char>(opcode); }
  void put_global(std::string_view module, std::string_view member) {
    put(PickleOpcode::global);
    text_.append(module).append("\n").append(member).append("\n");
  }
  void put(std::monostate) { put(PickleOpcode::none); }
  void put(bool value) { put(value ? PickleOpcode::newtrue : PickleOpcode::newfalse); }
  void put(std::int64_t value) {
    put(PickleOpcode::long1);
    text_ += static_cast<char>(sizeof value);
    append_little_endian(text_, value);
  }
  void put(double value) {
    put(PickleOpcode::binfloat);
    append_little_endian(text_, __builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  }
  void put(const std::string& value) {
    put(PickleOpcode::binunicode);
    append_little_endian(text_, static_cast<std::uint32_t>(value.size()));
    text_ += value;
  }
  void put(const TorchDict& dict) {
    put(PickleOpcode::empty_dict);
    put(PickleOpcode::mark);
    for (const auto& [key, value] : dict) {
      put(key);
      std::visit([this](const auto& held) { put(held); }, static_cast<const TorchValue::variant&>(value));
    }
    put(PickleOpcode::setitems);
  }
  void put_tuple(const std::vector<std::int64_t>& numbers) {
    put(PickleOpcode::mark);
    for (const std::int64_t number : numbers) put(number);
    put(PickleOpcode::tuple);
  }
  void put_storage(const TensorSource& tensor, bool typed) {
    put(PickleOpcode::mark);
    put(std::string("storage"));
    put_global(typed ? "torch" : "torch.storage", typed ? torch_storage_name(tensor.dtype) : "UntypedStorage");
    put(std::to_string(storages_.size()));
    put(std::string("cpu"));
    put(static_cast<std::int64_t>(byte_count(tensor) / (typed ? item_size(tensor.dtype) : 1)));
    put(PickleOpcode::tuple);
    put(PickleOpcode::binpersid);
    storages_.push_back(&tensor);
  }
  // torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks); v3 has the dtype after
  // them, over an untyped storage.
  void put(const TensorSource& tensor) {
    const bool typed = !torch_storage_name(tensor.dtype).empty();
    put_global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    put(PickleOpcode::mark);
    put_storage(tensor, typed);
    put(std::int64_t{0});
    put_tuple(tensor.shape);
    put_tuple(contiguous_strides(tensor.shape));
    put(false);
    put_global("collections", "OrderedDict");
    put(PickleOpcode::empty_tuple);
    put(PickleOpcode::reduce);
    if (!typed) put_global("torch", name(tensor.dtype));
    put(PickleOpcode::tuple);
    put(PickleOpcode::reduce);
  }

  std::vector<const TensorSource*>& storages_;
  std::string text_;
};

}  // namespace

std::string pickle_of(const TorchDict& content, std::vector<const TensorSource*>& storages) {
  return Pickler(storages).write(content);
}

}  // namespace goldentrace
