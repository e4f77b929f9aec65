#include "checkpoints/torch_names.h"

#include <array>
#include <utility>

namespace goldentrace {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 12> storages{{
    {"FloatStorage", DType::float32},
    {"DoubleStorage", DType::float64},
    {"HalfStorage", DType::float16},
    {"BFloat16Storage", DType::bfloat16},
    {"LongStorage", DType::int64},
    {"IntStorage", DType::int32},
    {"ShortStorage", DType::int16},
    {"CharStorage", DType::int8},
    {"ByteStorage", DType::uint8},
    {"BoolStorage", DType::boolean},
    {"ComplexFloatStorage", DType::complex64},
    {"ComplexDoubleStorage", DType::complex128},
}};

}  // namespace

std::string_view torch_storage_name(DType dtype) {
  for (const auto& [text, type] : storages)
    if (type == dtype) return text;
  return {};
}

DType dtype_of_torch_storage(std::string_view name) {
  for (const auto& [text, dtype] : storages)
    if (text == name) return dtype;
  return DType::none;
}

DType dtype_of_torch_name(std::string_view name) {
  for (std::uint8_t i = 1; i < dtype_count; ++i)
    if (goldentrace::name(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  return DType::none;
}

}  // namespace goldentrace
