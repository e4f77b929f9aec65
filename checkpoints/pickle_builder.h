// Makes the nodes of a PickleDocument within a memory budget.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "checkpoints/pickle_value.h"

namespace goldentrace {

// What the nodes of one pickle may take, however large the file is: together with stack and memo, below 64 MiB.
inline constexpr std::size_t pickle_memory = std::size_t{48} << 20;

class PickleBuilder {
 public:
  PickleBuilder() { add({}); }  // node 0 is the None that all share

  PickleRef add(PickleNode node);
  PickleRef add_sequence(PickleKind kind, std::vector<PickleRef> items);
  PickleRef add_object(std::string_view class_name, PickleRef arguments);
  PickleRef add_integer(std::int64_t value) { return add({.kind = PickleKind::integer, .integer = value}); }
  PickleRef add_floating(double value) { return add({.kind = PickleKind::floating, .floating = value}); }
  PickleRef add_bytes(std::string value);  // kept by the document
  PickleRef add_global(std::string qualified_name);
  PickleRef add_tensor(StridedTensor view, std::string_view storage);
  void append(PickleRef to, PickleRef item);
  static PickleRef none() { return 0; }

  PickleValue value(PickleRef ref) const { return {document_, ref}; }
  PickleNode& node(PickleRef ref) { return document_.nodes[ref]; }
  // Counts memory that somebody is about to take; Error(damaged) beyond the budget.
  void charge(std::size_t bytes);
  PickleDocument finish(PickleRef root);

 private:
  std::string_view keep(std::string text);

  PickleDocument document_;
  std::size_t used_ = 0;
};

}  // namespace goldentrace
