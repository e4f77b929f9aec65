// What a pickle holds, as inert data: nothing in it was ever executed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/strided_tensor.h"

namespace goldentrace {

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  floating,
  text,  // UTF-8 as it stood in the file, not checked
  bytes,
  tuple,
  list,
  set,
  dict,     // OrderedDict too
  global,   // a class or function by its name, never called
  object,   // an instance of an allowed class: its name, arguments, state
  storage,  // of a tensor
  tensor,
};

std::string_view name(PickleKind kind);

using PickleRef = std::uint32_t;  // a node of the document

// References may form cycles: whoever walks them must bound the depth.
struct PickleNode {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  // boolean: 0 or 1; tensor: its number
  double floating = 0;
  std::string_view text;         // text, bytes; the qualified name of a global, of an object's class
  std::vector<PickleRef> items;  // elements; dict: key, value, key, value …; object: arguments, then state
};

// Owns all nodes. Texts lie in the pickle's bytes or in `names`; tensors lie in the file.
struct PickleDocument {
  std::deque<PickleNode> nodes;
  std::deque<std::string> names;
  std::vector<StridedTensor> tensors;
  std::vector<std::string> storages;  // of each tensor: the key of its storage
  PickleRef root = 0;
};

// A node with its document, which must outlive it. Cheap to copy.
class PickleValue {
 public:
  PickleValue(const PickleDocument& document, PickleRef ref) : document_(&document), ref_(ref) {}

  PickleKind kind() const { return node().kind; }
  bool is(PickleKind kind) const { return node().kind == kind; }
  PickleRef ref() const { return ref_; }
  std::string_view text() const { return node().text; }
  std::size_t size() const { return node().items.size(); }
  PickleValue item(std::size_t i) const { return {*document_, node().items[i]}; }
  std::size_t tensor() const { return static_cast<std::size_t>(node().integer); }  // a number of document().tensors
  const PickleDocument& document() const { return *document_; }

  std::optional<std::int64_t> integer() const;  // an integer or a boolean
  std::optional<double> number() const;         // an integer or a floating number
  // Of a dict with text keys, or of an object whose state is such a dict. The last one of equal keys.
  std::optional<PickleValue> find(std::string_view key) const;
  // The members of a dict, or of the dict that is an object's state; none otherwise.
  void each_member(const std::function<void(PickleValue key, PickleValue value)>& body) const;

 private:
  const PickleNode& node() const { return document_->nodes[ref_]; }
  std::optional<PickleValue> members() const;

  const PickleDocument* document_;
  PickleRef ref_;
};

// One line for people: "5", "'text'", "{3 members}", "Namespace", "float32 [3, 4]"; long texts are cut.
std::string describe(const PickleValue& value);

}  // namespace goldentrace
