#include "tape/modes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <mutex>

#include "tape/dtypes.h"

namespace goldentrace {
namespace {

void set_default_dtype(c10::ScalarType type) { c10::set_default_dtype(caffe2::TypeMeta::fromScalarType(type)); }

at::Tensor exchange_random_state(const at::Tensor& state) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  at::Tensor before = generator.get_state();
  if (state.defined()) generator.set_state(state);
  return before;
}

}  // namespace

OpModes::OpModes(const TapeOp& op, DType autocast, c10::DeviceType device)
    : device_(device),
      grad_before_(c10::GradMode::is_enabled()),
      autocast_before_(at::autocast::is_autocast_enabled(device)),
      autocast_dtype_before_(at::autocast::get_autocast_dtype(device)) {
  if (op.inference_mode) inference_.emplace(true);
  if (op.grad_mode != c10::GradMode::is_enabled()) c10::GradMode::set_enabled(op.grad_mode);
  const bool enabled = autocast != DType::none;
  if (enabled != autocast_before_) at::autocast::set_autocast_enabled(device, enabled);
  if (enabled) at::autocast::set_autocast_dtype(device, to_scalar_type(autocast));
}

void clear_autocast_cache() { at::autocast::clear_cache(); }

OpModes::~OpModes() {
  if (at::autocast::is_autocast_enabled(device_) != autocast_before_) {
    at::autocast::set_autocast_enabled(device_, autocast_before_);
  }
  at::autocast::set_autocast_dtype(device_, autocast_dtype_before_);
  inference_.reset();
  if (c10::GradMode::is_enabled() != grad_before_) c10::GradMode::set_enabled(grad_before_);
}

RunModes::RunModes(const at::Tensor& random_state, DType dtype)
    : random_before_(exchange_random_state(random_state)),
      default_dtype_before_(c10::get_default_dtype_as_scalartype()) {
  clear_autocast_cache();
  if (dtype != DType::none) set_default_dtype(to_scalar_type(dtype));
}

RunModes::~RunModes() {
  if (c10::get_default_dtype_as_scalartype() != default_dtype_before_) set_default_dtype(default_dtype_before_);
  clear_autocast_cache();
  exchange_random_state(random_before_);
}

}  // namespace goldentrace
