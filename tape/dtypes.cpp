#include "tape/dtypes.h"

#include <array>
#include <string>
#include <utility>

#include "traces/error.h"

namespace goldentrace {
namespace {

using at::ScalarType;

constexpr std::array pairs = {
    std::pair{ScalarType::Bool, DType::boolean},
    std::pair{ScalarType::Byte, DType::uint8},
    std::pair{ScalarType::Char, DType::int8},
    std::pair{ScalarType::Short, DType::int16},
    std::pair{ScalarType::Int, DType::int32},
    std::pair{ScalarType::Long, DType::int64},
    std::pair{ScalarType::UInt16, DType::uint16},
    std::pair{ScalarType::UInt32, DType::uint32},
    std::pair{ScalarType::UInt64, DType::uint64},
    std::pair{ScalarType::Half, DType::float16},
    std::pair{ScalarType::BFloat16, DType::bfloat16},
    std::pair{ScalarType::Float, DType::float32},
    std::pair{ScalarType::Double, DType::float64},
    std::pair{ScalarType::ComplexHalf, DType::complex32},
    std::pair{ScalarType::ComplexFloat, DType::complex64},
    std::pair{ScalarType::ComplexDouble, DType::complex128},
    std::pair{ScalarType::Float8_e4m3fn, DType::float8_e4m3fn},
    std::pair{ScalarType::Float8_e5m2, DType::float8_e5m2},
    std::pair{ScalarType::Float8_e4m3fnuz, DType::float8_e4m3fnuz},
    std::pair{ScalarType::Float8_e5m2fnuz, DType::float8_e5m2fnuz},
    std::pair{ScalarType::Float8_e8m0fnu, DType::float8_e8m0fnu},
};

}  // namespace

DType to_dtype(ScalarType type) {
  for (const auto& [torch, ours] : pairs) {
    if (torch == type) return ours;
  }
  throw Error(ErrorCode::unsupported, std::string("element type ") + c10::toString(type) + " cannot be recorded");
}

ScalarType to_scalar_type(DType dtype) {
  for (const auto& [torch, ours] : pairs) {
    if (ours == dtype) return torch;
  }
  throw Error(ErrorCode::unsupported, "element type " + std::string(name(dtype)) + " has no tensor");
}

ScalarType moved_to(ScalarType type, DType dtype) {
  if (dtype == DType::none) return type;
  if (c10::isFloatingType(type)) return to_scalar_type(dtype);
  if (!c10::isComplexType(type)) return type;
  switch (dtype) {
    case DType::float16:
      return ScalarType::ComplexHalf;
    case DType::float32:
      return ScalarType::ComplexFloat;
    case DType::float64:
      return ScalarType::ComplexDouble;
    default:
      throw Error(ErrorCode::unsupported, "complex tensors cannot move to " + std::string(name(dtype)));
  }
}

}  // namespace goldentrace
