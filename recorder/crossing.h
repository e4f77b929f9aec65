// Tensors that cross the border of a layer: captured before the op that reads them runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "recorder/call.h"
#include "recorder/record_sink.h"
#include "recorder/tensor_table.h"

namespace goldentrace {

struct Session;

enum class ReadKind {
  content,    // the op may read every element
  view,       // it only makes a view
  overwrite,  // it writes every element and reads none
};

// One use of one tensor by one op. The session's lock is held around it.
class Crossing {
 public:
  Crossing(Session& session, const at::Tensor& tensor, TensorInfo& info)
      : session_(session), tensor_(tensor), info_(info) {}

  // An op of `reader` (null: an unrecorded one) uses the tensor: outputs of the calls it leaves, inputs of those it
  // enters, a value of every tape it is on.
  void read_by(const std::shared_ptr<Call>& reader, ReadKind kind);
  // It is alive and unread while its outermost label closes.
  void leave();
  // The records that a value computed from it by `reader` depends on.
  Rows depends(const Call& reader) const;

 private:
  void leave_until(const Call* reader);
  void add_output(const std::shared_ptr<Call>& call);
  bool repeats_output(Call& call);
  OutputPlace place() const;
  void enter(const std::shared_ptr<Call>& call);
  void add_external(const std::shared_ptr<Call>& call);
  void add_parameter(const std::shared_ptr<Call>& call, const std::shared_ptr<Parameter>& parameter);
  void add_input(const std::shared_ptr<Call>& call);
  void keep_external(Call& call, const Record& record, std::int64_t row, const std::shared_ptr<Parameter>& parameter);
  void read_by_root(Call& root);
  bool known_to(const Call& call) const;
  void add_alias(Call& call);
  void materialize(Call& reader);
  bool is_made_inside(const Call& call) const { return info_.maker && encloses(&call, info_.maker.get()); }
  std::int64_t last_output_row(const Call* reader) const;
  const Captured& captured();

  Session& session_;
  const at::Tensor& tensor_;
  TensorInfo& info_;
  std::unique_ptr<Captured> captured_;
  std::int64_t outer_row_ = -1;  // record of the tensor as an external of the call around
};

}  // namespace goldentrace
