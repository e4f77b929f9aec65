#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/core/ScalarType.h>
#include <c10/util/complex.h>

#include <string>
#include <utility>

#include "tape/dtypes.h"
#include "tape/hexadecimal.h"
#include "tape/ivalue.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

Argument integer(std::int64_t value) {
  Argument argument;
  argument.kind = ArgumentKind::integer;
  argument.integer = value;
  return argument;
}

Argument boolean(bool value) {
  Argument argument;
  argument.kind = ArgumentKind::boolean;
  argument.boolean = value;
  return argument;
}

Argument real(double value) {
  Argument argument;
  argument.kind = ArgumentKind::real;
  argument.real = value;
  return argument;
}

Argument complex(c10::complex<double> value) {
  Argument argument;
  argument.kind = ArgumentKind::complex;
  argument.real = value.real();
  argument.imaginary = value.imag();
  return argument;
}

Argument text(ArgumentKind kind, std::string value) {
  Argument argument;
  argument.kind = kind;
  argument.text = std::move(value);
  return argument;
}

template <typename T>
T element(const at::Tensor& number) {
  return *static_cast<const T*>(number.const_data_ptr());
}

Argument scalar_of(const at::Tensor& number) {
  switch (number.scalar_type()) {
    case at::kLong:
      return integer(element<std::int64_t>(number));
    case at::kDouble:
      return real(element<double>(number));
    case at::kBool:
      return boolean(element<bool>(number));
    case at::kComplexDouble:
      return complex(element<c10::complex<double>>(number));
    case at::kInt:
      return integer(element<std::int32_t>(number));
    case at::kFloat:
      return real(element<float>(number));
    case at::kHalf:
      return real(element<c10::Half>(number));
    case at::kBFloat16:
      return real(element<c10::BFloat16>(number));
    case at::kComplexFloat:
      return complex(c10::complex<double>(element<c10::complex<float>>(number)));
    default:
      throw Error(ErrorCode::unsupported,
                  std::string("a number of type ") + c10::toString(number.scalar_type()) + " cannot be recorded");
  }
}

bool is_plain_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.device().is_cpu() && tensor.dim() == 0;
}

Argument tensor(const at::Tensor& value, const TensorNumber& number_of) {
  Argument argument;
  if (!value.defined()) return argument;
  if (is_plain_number(value)) {
    argument.kind = ArgumentKind::number;
    argument.dtype = to_dtype(value.scalar_type());
    argument.items.push_back(scalar_of(value));
    return argument;
  }
  argument.kind = ArgumentKind::tensor;
  argument.value = number_of(value);
  return argument;
}

Argument generator(const at::Generator& value) {
  if (!value.defined() || value == at::globalContext().defaultGenerator(value.device())) {
    return text(ArgumentKind::generator, "");
  }
  if (!value.device().is_cpu()) {
    throw Error(ErrorCode::unsupported, "a generator of its own on " + value.device().str() + " cannot be recorded");
  }
  const at::Tensor state = value.get_state();
  const auto* bytes = static_cast<const std::byte*>(state.const_data_ptr());
  return text(ArgumentKind::generator, to_hexadecimal({bytes, static_cast<std::size_t>(state.numel())}));
}

std::string element_type(const c10::IValue& list) {
  if (list.isIntList()) return "int";
  if (list.isTensorList()) return "Tensor";
  if (list.isDoubleList()) return "float";
  if (list.isBoolList()) return "bool";
  return list.toList().elementType()->str();
}

Argument list(const c10::IValue& value, const TensorNumber& number_of) {
  Argument argument = text(ArgumentKind::list, element_type(value));
  const auto items = value.toListRef();
  argument.items.reserve(items.size());
  for (const c10::IValue& item : items) argument.items.push_back(encode(item, number_of));
  return argument;
}

}  // namespace

Argument encode(const c10::IValue& value, const TensorNumber& number_of) {
  if (value.isTensor()) return tensor(value.toTensor(), number_of);
  if (value.isNone()) return {};
  if (value.isInt()) return integer(value.toInt());
  if (value.isBool()) return boolean(value.toBool());
  if (value.isDouble()) return real(value.toDouble());
  if (value.isList()) return list(value, number_of);
  if (value.isString()) return text(ArgumentKind::string, value.toStringRef());
  if (value.isDevice()) return text(ArgumentKind::device, value.toDevice().str());
  if (value.isComplexDouble()) return complex(value.toComplexDouble());
  if (value.isGenerator()) return generator(value.toGenerator());
  throw Error(ErrorCode::unsupported, "an argument of kind " + value.tagKind() + " cannot be recorded");
}

}  // namespace goldentrace
