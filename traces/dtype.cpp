#include "traces/dtype.h"

#include <array>
#include <string>
#include <utility>

#include "traces/error.h"

namespace goldentrace {
namespace {

struct Facts {
  std::string_view name;
  std::size_t size;
  DTypeClass kind;
};

constexpr std::array<Facts, dtype_count> facts{{
    {"none", 0, DTypeClass::none},
    {"bool", 1, DTypeClass::boolean},
    {"uint8", 1, DTypeClass::integer},
    {"int8", 1, DTypeClass::integer},
    {"int16", 2, DTypeClass::integer},
    {"int32", 4, DTypeClass::integer},
    {"int64", 8, DTypeClass::integer},
    {"uint16", 2, DTypeClass::integer},
    {"uint32", 4, DTypeClass::integer},
    {"uint64", 8, DTypeClass::integer},
    {"float16", 2, DTypeClass::floating},
    {"bfloat16", 2, DTypeClass::floating},
    {"float32", 4, DTypeClass::floating},
    {"float64", 8, DTypeClass::floating},
    {"complex32", 4, DTypeClass::complex},
    {"complex64", 8, DTypeClass::complex},
    {"complex128", 16, DTypeClass::complex},
    {"float8_e4m3fn", 1, DTypeClass::opaque},
    {"float8_e5m2", 1, DTypeClass::opaque},
    {"float8_e4m3fnuz", 1, DTypeClass::opaque},
    {"float8_e5m2fnuz", 1, DTypeClass::opaque},
    {"float8_e8m0fnu", 1, DTypeClass::opaque},
}};

constexpr std::array<std::pair<std::string_view, DType>, 9> short_names{{
    {"fp16", DType::float16},
    {"half", DType::float16},
    {"bf16", DType::bfloat16},
    {"fp32", DType::float32},
    {"float", DType::float32},
    {"fp64", DType::float64},
    {"double", DType::float64},
    {"int", DType::int32},
    {"long", DType::int64},
}};

const Facts& of(DType dtype) { return facts.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::size_t item_size(DType dtype) { return of(dtype).size; }
std::string_view name(DType dtype) { return of(dtype).name; }
DTypeClass dtype_class(DType dtype) { return of(dtype).kind; }
bool is_valid_dtype(std::uint8_t value) { return value < dtype_count; }

DType parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].name == text) return static_cast<DType>(i);
  }
  for (const auto& [alias, dtype] : short_names) {
    if (alias == text) return dtype;
  }
  throw Error(ErrorCode::usage, "unknown dtype '" + std::string(text) + "'; use float64, float32, float16 or bfloat16");
}

}  // namespace goldentrace
