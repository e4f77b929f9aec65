#include "checkpoints/safetensors_names.h"

#include <array>
#include <utility>

namespace goldentrace {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 18> names{{
    {"BOOL", DType::boolean},
    {"U8", DType::uint8},
    {"I8", DType::int8},
    {"I16", DType::int16},
    {"U16", DType::uint16},
    {"I32", DType::int32},
    {"U32", DType::uint32},
    {"I64", DType::int64},
    {"U64", DType::uint64},
    {"F16", DType::float16},
    {"BF16", DType::bfloat16},
    {"F32", DType::float32},
    {"F64", DType::float64},
    {"C64", DType::complex64},
    {"F8_E4M3", DType::float8_e4m3fn},
    {"F8_E5M2", DType::float8_e5m2},
    {"F8_E4M3FNUZ", DType::float8_e4m3fnuz},
    {"F8_E8M0", DType::float8_e8m0fnu},
}};

}  // namespace

DType dtype_of_safetensors(std::string_view name) {
  for (const auto& [text, dtype] : names)
    if (text == name) return dtype;
  return DType::none;
}

std::string_view safetensors_name(DType dtype) {
  for (const auto& [text, type] : names)
    if (type == dtype) return text;
  return {};
}

}  // namespace goldentrace
