// The name of a record: which tensor, of which layer, in which pass, micro-batch, step and rank.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace goldentrace {

// Numeric values are part of the file format.
enum class Pass : std::uint8_t { forward = 0, recompute = 1, backward = 2, update = 3 };
enum class Role : std::uint8_t {
  input = 0,
  output = 1,
  grad_output = 2,
  grad_input = 3,
  param = 4,
  param_grad = 5,
  buffer = 6,
  loss = 7,
  op_output = 8,
};

std::string_view name(Pass pass);  // "forward"
std::string_view name(Role role);  // "grad_input"
Pass parse_pass(std::string_view text);
Role parse_role(std::string_view text);

inline constexpr std::int64_t no_micro = -1;  // records of a whole step: written "-"
inline constexpr std::string_view root_layer = "(root)";
inline constexpr std::string_view loss_layer = "loss";

struct RecordId {
  std::int64_t step = 0;
  std::int64_t micro = 0;  // no_micro for records of the whole step
  std::int32_t rank = 0;
  Pass pass = Pass::forward;
  std::string layer;
  std::int32_t call = 0;  // counts repeated entries of the layer in one pass of one micro-batch
  Role role = Role::output;
  std::string index = "0";  // path "0" or "2.a.0"; a parameter's name "weight"

  auto operator<=>(const RecordId&) const = default;
};

// "3:0:0/forward/h.1.mlp.act#0/output.0"; '/', '#', ':' and '%' inside labels are percent-escaped.
// Without a micro: "3:-:0/update/loss#0/loss.0".
std::string to_string(const RecordId& id);

// "step 3 · micro 0 · rank 0 · forward · h.1.mlp.act · output 0"; a call index other than 0 is shown as "#1"
// behind the layer. Without a micro its part is left out.
std::string describe(const RecordId& id);

RecordId parse_record_id(std::string_view text);  // Error(usage) naming the part that does not parse

std::string escape_label(std::string_view label);
std::string unescape_label(std::string_view text);

}  // namespace goldentrace
