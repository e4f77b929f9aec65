// Element types of recorded tensors. The numeric values are part of the file format and never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace goldentrace {

enum class DType : std::uint8_t {
  none = 0,  // the value None: no elements
  boolean = 1,
  uint8 = 2,
  int8 = 3,
  int16 = 4,
  int32 = 5,
  int64 = 6,
  uint16 = 7,
  uint32 = 8,
  uint64 = 9,
  float16 = 10,
  bfloat16 = 11,
  float32 = 12,
  float64 = 13,
  complex32 = 14,   // two float16
  complex64 = 15,   // two float32
  complex128 = 16,  // two float64
  float8_e4m3fn = 17,
  float8_e5m2 = 18,
  float8_e4m3fnuz = 19,
  float8_e5m2fnuz = 20,
  float8_e8m0fnu = 21,
};
inline constexpr int dtype_count = 22;

enum class DTypeClass { none, boolean, integer, floating, complex, opaque };  // opaque: float8, compared bitwise

std::size_t item_size(DType dtype);        // bytes of one element; 0 for none
std::string_view name(DType dtype);        // torch's name: "float32", "bool", "bfloat16"
DType parse_dtype(std::string_view name);  // also "fp32", "bf16", "half", "double" …; Error(usage) otherwise
DTypeClass dtype_class(DType dtype);
bool is_valid_dtype(std::uint8_t value);

}  // namespace goldentrace
