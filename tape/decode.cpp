#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Scalar.h>

#include <cstring>
#include <string>

#include "tape/dtypes.h"
#include "tape/hexadecimal.h"
#include "tape/ivalue.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::size_t cpu_generator_bytes = 5056;

std::string_view kind_name(ArgumentKind kind) {
  static constexpr std::string_view names[] = {"None",   "bool",  "int",       "float",  "complex", "string",
                                               "device", "dtype", "generator", "number", "Tensor",  "list"};
  return names[static_cast<std::size_t>(kind)];
}

[[noreturn]] void refuse(const Argument& argument, const c10::Type& type) {
  throw Error(ErrorCode::unsupported,
              std::string(kind_name(argument.kind)) + " given where " + type.str() + " is expected");
}

template <typename T>
void fill(at::Tensor& number, T value) {
  *static_cast<T*>(number.mutable_data_ptr()) = value;
}

c10::IValue scalar(const Argument& argument, const c10::Type& type) {
  switch (argument.kind) {
    case ArgumentKind::boolean:
      return argument.boolean;
    case ArgumentKind::integer:
      return argument.integer;
    case ArgumentKind::real:
      return argument.real;
    case ArgumentKind::complex:
      return c10::complex<double>(argument.real, argument.imaginary);
    default:
      refuse(argument, type);
  }
}

at::Tensor wrapped_number(const Argument& argument, const c10::Type& type) {
  if (argument.items.size() != 1) refuse(argument, type);
  const c10::Scalar value = scalar(argument.items.front(), type).toScalar();
  at::Tensor number = at::detail::empty_cpu({}, to_scalar_type(argument.dtype));
  switch (argument.dtype) {
    case DType::int64:
      fill(number, value.to<std::int64_t>());
      break;
    case DType::float64:
      fill(number, value.to<double>());
      break;
    case DType::boolean:
      fill(number, value.to<bool>());
      break;
    case DType::complex128:
      fill(number, value.to<c10::complex<double>>());
      break;
    case DType::int32:
      fill(number, value.to<std::int32_t>());
      break;
    case DType::float32:
      fill(number, value.to<float>());
      break;
    case DType::float16:
      fill(number, value.to<c10::Half>());
      break;
    case DType::bfloat16:
      fill(number, value.to<c10::BFloat16>());
      break;
    case DType::complex64:
      fill(number, value.to<c10::complex<float>>());
      break;
    default:
      refuse(argument, type);
  }
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

at::Tensor tensor(const Argument& argument, const c10::Type& type, const TensorOfValue& tensor_of) {
  switch (argument.kind) {
    case ArgumentKind::none:
      return {};
    case ArgumentKind::number:
      return wrapped_number(argument, type);
    case ArgumentKind::tensor:
      return tensor_of(argument.value);
    default:
      refuse(argument, type);
  }
}

c10::IValue generator(const Argument& argument, const c10::Type& type) {
  if (argument.kind != ArgumentKind::generator) refuse(argument, type);
  if (argument.text.empty()) return {};
  const std::vector<std::byte> bytes = from_hexadecimal(argument.text);
  if (bytes.size() != cpu_generator_bytes) {
    throw Error(ErrorCode::damaged, "a generator state has " + std::to_string(bytes.size()) + " bytes, not 5056");
  }
  at::Tensor state = at::detail::empty_cpu({static_cast<std::int64_t>(bytes.size())}, at::kByte);
  std::memcpy(state.mutable_data_ptr(), bytes.data(), bytes.size());
  at::Generator made = at::detail::createCPUGenerator();
  made.set_state(state);
  return made;
}

c10::IValue integer(const Argument& argument, const c10::Type& type, DecodeOptions options) {
  if (argument.kind != ArgumentKind::integer) refuse(argument, type);
  const bool is_dtype = type.kind() == c10::TypeKind::ScalarTypeType;
  if (!is_dtype) return argument.integer;
  const auto recorded = static_cast<at::ScalarType>(argument.integer);
  if (argument.integer < 0 || argument.integer >= static_cast<std::int64_t>(at::ScalarType::NumOptions)) {
    throw Error(ErrorCode::unsupported, std::to_string(argument.integer) + " is no dtype");
  }
  return static_cast<std::int64_t>(moved_to(recorded, options.dtype));
}

c10::IValue list(const Argument& argument, const c10::ListType& type, const TensorOfValue& tensor_of,
                 DecodeOptions options) {
  if (argument.kind != ArgumentKind::list) refuse(argument, type);
  c10::TypePtr element = type.getElementType();
  if (element->kind() == c10::TypeKind::SymIntType) element = c10::IntType::get();
  c10::impl::GenericList made(element);
  made.reserve(argument.items.size());
  for (const Argument& item : argument.items) made.push_back(decode(item, *element, tensor_of, options));
  return made;
}

c10::IValue text(const Argument& argument, const c10::Type& type) {
  if (argument.kind != ArgumentKind::string) refuse(argument, type);
  return argument.text;
}

c10::IValue device(const Argument& argument, const c10::Type& type, DecodeOptions options) {
  if (argument.kind != ArgumentKind::device) refuse(argument, type);
  return options.device ? *options.device : c10::Device(argument.text);
}

c10::IValue of_kind(const Argument& argument, ArgumentKind kind, const c10::Type& type) {
  if (argument.kind != kind) refuse(argument, type);
  return scalar(argument, type);
}

}  // namespace

c10::IValue decode(const Argument& argument, const c10::Type& type, const TensorOfValue& tensor_of,
                   DecodeOptions options) {
  switch (type.kind()) {
    case c10::TypeKind::OptionalType:
      if (argument.kind == ArgumentKind::none) return {};
      return decode(argument, *type.expectRef<c10::OptionalType>().getElementType(), tensor_of, options);
    case c10::TypeKind::TensorType:
      return tensor(argument, type, tensor_of);
    case c10::TypeKind::ListType:
      return list(argument, type.expectRef<c10::ListType>(), tensor_of, options);
    case c10::TypeKind::NumberType:
      return scalar(argument, type);
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
      return integer(argument, type, options);
    case c10::TypeKind::BoolType:
      return of_kind(argument, ArgumentKind::boolean, type);
    case c10::TypeKind::FloatType:
      return of_kind(argument, ArgumentKind::real, type);
    case c10::TypeKind::ComplexType:
      return of_kind(argument, ArgumentKind::complex, type);
    case c10::TypeKind::StringType:
      return text(argument, type);
    case c10::TypeKind::DeviceObjType:
      return device(argument, type, options);
    case c10::TypeKind::GeneratorType:
      return generator(argument, type);
    default:
      throw Error(ErrorCode::unsupported, "arguments of type " + type.str() + " cannot be replayed");
  }
}

}  // namespace goldentrace
