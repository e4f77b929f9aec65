// Captures that several records of one moment share.
#pragma once

#include <ATen/core/Tensor.h>

#include <list>
#include <utility>

#include "recorder/record_sink.h"

namespace goldentrace {

// A gradient is often the share of a layer, of the layers around it, and the total at once: it is looked at once.
// Nothing may write the tensors before clear(). Not thread-safe.
class Moment {
 public:
  const Captured& capture(RecordSink& sink, const at::Tensor& tensor) {
    for (const auto& [known, captured] : captures_) {
      if (known.is_same(tensor)) return captured;
    }
    return captures_.emplace_back(tensor, sink.capture(tensor)).second;
  }
  void clear() { captures_.clear(); }

 private:
  std::list<std::pair<at::Tensor, Captured>> captures_;
};

}  // namespace goldentrace
