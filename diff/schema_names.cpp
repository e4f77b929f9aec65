// Argument names of common ops, in the order of their aten schemas.
#include <map>
#include <sstream>
#include <vector>

#include "diff/op_text.h"

namespace goldentrace {

namespace {

// One op a line: name, overload after a dot where names depend on it, then the arguments.
constexpr std::string_view schemas = R"(
_log_softmax self dim half_to_float
_softmax self dim half_to_float
_to_copy self dtype layout device pin_memory non_blocking memory_format
add self other alpha
add_ self other alpha
addcdiv self tensor1 tensor2 value
addcdiv_ self tensor1 tensor2 value
addcmul self tensor1 tensor2 value
addcmul_ self tensor1 tensor2 value
addmm self mat1 mat2 beta alpha
arange end dtype layout device pin_memory
arange.start start end dtype layout device pin_memory
arange.start_step start end step dtype layout device pin_memory
argmax self dim keepdim
baddbmm self batch1 batch2 beta alpha
batch_norm input weight bias running_mean running_var training momentum eps cudnn_enabled
binary_cross_entropy_with_logits self target weight pos_weight reduction
bmm self mat2
cat tensors dim
chunk self chunks dim
clamp self min max
clamp_min self min
clone self memory_format
contiguous self memory_format
conv1d input weight bias stride padding dilation groups
conv2d input weight bias stride padding dilation groups
convolution input weight bias stride padding dilation transposed output_padding groups
cos self
cross_entropy_loss self target weight reduction ignore_index label_smoothing
cumsum self dim dtype
div self other
div.Tensor_mode self other rounding_mode
div_ self other
dropout input p train
dropout_ self p train
embedding weight indices padding_idx scale_grad_by_freq sparse
erf self
exp self
expand self size implicit
fill_ self value
flatten self start_dim end_dim
flip self dims
full size fill_value dtype layout device pin_memory
gelu self approximate
group_norm input num_groups weight bias eps cudnn_enabled
index self indices
index_select self dim index
layer_norm input normalized_shape weight bias eps cudnn_enable
leaky_relu self negative_slope
lerp_ self end weight
linear input weight bias
log_softmax self dim dtype
masked_fill self mask value
masked_fill_ self mask value
matmul self other
max_pool2d self kernel_size stride padding dilation ceil_mode
mean self dtype
mean.dim self dim keepdim dtype
mm self mat2
mse_loss self target reduction
mul self other
mul_ self other
native_dropout input p train
native_layer_norm input normalized_shape weight bias eps
neg self
new_zeros self size dtype layout device pin_memory
nll_loss self target weight reduction ignore_index
nll_loss_nd self target weight reduction ignore_index
ones size dtype layout device pin_memory
permute self dims
pow self exponent
relu self
relu_ self
repeat self repeats
reshape self shape
rms_norm input normalized_shape weight eps
roll self shifts dims
rsqrt self
rsub self other alpha
scaled_dot_product_attention query key value attn_mask dropout_p is_causal scale enable_gqa
select self dim index
sigmoid self
silu self
sin self
slice self dim start end step
softmax self dim dtype
split self split_size dim
split_with_sizes self split_sizes dim
sqrt self
squeeze self dim
stack tensors dim
sub self other alpha
sub_ self other alpha
sum self dtype
sum.dim_IntList self dim keepdim dtype
t self
tanh self
to.device self device dtype non_blocking copy memory_format
to.dtype self dtype non_blocking copy memory_format
transpose self dim0 dim1
tril self diagonal
triu self diagonal
unbind self dim
unsqueeze self dim
view self size
where condition self other
zeros size dtype layout device pin_memory
zeros_like self dtype layout device pin_memory memory_format
)";

using Names = std::vector<std::string>;

std::map<std::string, Names> parse_schemas() {
  std::map<std::string, Names> table;
  std::istringstream lines{std::string(schemas)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string op;
    if (!(words >> op)) continue;
    std::string name;
    while (words >> name) table[op].push_back(name);
  }
  return table;
}

}  // namespace

std::string argument_name(const TapeOp& op, std::size_t number) {
  static const std::map<std::string, Names> table = parse_schemas();
  auto found = table.find(short_name(op) + "." + op.overload);
  if (found == table.end()) found = table.find(short_name(op));
  if (found != table.end() && number < found->second.size()) return found->second[number];
  return "argument " + std::to_string(number);
}

}  // namespace goldentrace
