#include "checkpoints/pickle_builder.h"

#include <utility>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t per_item = 2 * sizeof(PickleRef);  // a growing vector holds up to twice its size

}  // namespace

void PickleBuilder::charge(std::size_t bytes) {
  used_ += bytes;
  if (used_ > pickle_memory)
    throw Error(ErrorCode::damaged,
                "builds more than " + std::to_string(pickle_memory >> 20) + " MiB of objects; no checkpoint does");
}

PickleRef PickleBuilder::add(PickleNode node) {
  charge(sizeof(PickleNode) + node.items.size() * per_item);
  document_.nodes.push_back(std::move(node));
  return static_cast<PickleRef>(document_.nodes.size() - 1);
}

PickleRef PickleBuilder::add_sequence(PickleKind kind, std::vector<PickleRef> items) {
  return add({.kind = kind, .items = std::move(items)});
}

PickleRef PickleBuilder::add_object(std::string_view class_name, PickleRef arguments) {
  return add({.kind = PickleKind::object, .text = class_name, .items = {arguments}});
}

std::string_view PickleBuilder::keep(std::string text) {
  charge(sizeof(std::string) + text.capacity());
  return document_.names.emplace_back(std::move(text));
}

PickleRef PickleBuilder::add_bytes(std::string value) {
  return add({.kind = PickleKind::bytes, .text = keep(std::move(value))});
}

PickleRef PickleBuilder::add_global(std::string qualified_name) {
  return add({.kind = PickleKind::global, .text = keep(std::move(qualified_name))});
}

PickleRef PickleBuilder::add_tensor(StridedTensor view, std::string_view storage) {
  charge(2 * (sizeof(StridedTensor) + sizeof(std::string)) + storage.size() + 32 * view.shape.size());
  document_.tensors.push_back(std::move(view));
  document_.storages.emplace_back(storage);
  return add({.kind = PickleKind::tensor, .integer = static_cast<std::int64_t>(document_.tensors.size() - 1)});
}

void PickleBuilder::append(PickleRef to, PickleRef item) {
  charge(per_item);
  node(to).items.push_back(item);
}

PickleDocument PickleBuilder::finish(PickleRef root) {
  document_.root = root;
  return std::move(document_);
}

}  // namespace goldentrace
