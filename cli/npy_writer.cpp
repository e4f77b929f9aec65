#include "cli/npy_writer.h"

#include <array>
#include <cstring>

#include "cli/output_file.h"
#include "kernels/compare.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

std::string descriptor(DType dtype) {
  const std::string size = std::to_string(item_size(dtype));
  switch (dtype) {
    case DType::bfloat16:
      return "<f4";
    case DType::complex32:
      return "<c8";
    default:
      break;
  }
  switch (dtype_class(dtype)) {
    case DTypeClass::boolean:
      return "|b1";
    case DTypeClass::opaque:
      return "|u1";
    case DTypeClass::floating:
      return "<f" + size;
    case DTypeClass::complex:
      return "<c" + size;
    case DTypeClass::integer:
      break;
    case DTypeClass::none:
      return "";
  }
  const bool is_unsigned = name(dtype).starts_with("uint");
  return std::string(size == "1" ? "|" : "<") + (is_unsigned ? "u" : "i") + size;
}

std::string shape_tuple(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Magic, version, header length, header padded so that the data starts at a multiple of 64.
std::string head(const Record& record) {
  std::string dictionary = "{'descr': '" + descriptor(record.dtype) +
                           "', 'fortran_order': False, 'shape': " + shape_tuple(record.shape) + ", }";
  constexpr std::size_t before = 10;
  dictionary.resize((before + dictionary.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  dictionary += '\n';
  if (dictionary.size() > 0xffff) throw Error(ErrorCode::unsupported, "too many dimensions for a .npy file");
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(length & 0xff);
  text += static_cast<char>(length >> 8);
  return text + dictionary;
}

std::vector<std::byte> widen_bfloat16(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> wide(bytes.size() * 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) std::memcpy(&wide[2 * i + 2], &bytes[i], 2);
  return wide;
}

std::vector<std::byte> widen_half(const std::vector<std::byte>& bytes) {
  const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(bytes.size() / 2)};
  const TensorView halves{DType::float16, shape, bytes};
  std::vector<std::byte> wide(bytes.size() * 2);
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const auto value = static_cast<float>(element_as_double(halves, i));
    std::memcpy(&wide[static_cast<std::size_t>(i) * sizeof value], &value, sizeof value);
  }
  return wide;
}

std::vector<std::byte> elements(const Record& record, std::vector<std::byte> bytes) {
  if (record.dtype == DType::bfloat16) return widen_bfloat16(bytes);
  if (record.dtype == DType::complex32) return widen_half(bytes);
  return bytes;
}

}  // namespace

void write_npy(const std::filesystem::path& path, const TraceReader& trace, std::int64_t row) {
  const Record& record = trace.records()[static_cast<std::size_t>(row)];
  const ErrorPlace place{trace.path().string(), to_string(record.id)};
  if (record.dtype == DType::none)
    throw Error(ErrorCode::unsupported, "the value None has no elements to write", place);
  check_output_file(path, {trace.path()});
  const std::vector<std::byte> bytes = elements(record, trace.payload(row));
  std::string content = head(record);
  content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_output_file(path, content);
}

}  // namespace goldentrace
