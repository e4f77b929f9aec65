#include "checkpoints/numpy_scalar.h"

#include <bit>
#include <optional>

#include "checkpoints/little_endian.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// "f8" of dtype("f8", False, True).
std::string_view code_of(const PickleValue& dtype) {
  if (!dtype.is(PickleKind::object) || dtype.text() != "numpy.dtype") return {};
  const PickleValue arguments = dtype.item(0);
  const bool fits = arguments.size() > 0 && arguments.item(0).is(PickleKind::text);
  return fits ? arguments.item(0).text() : std::string_view();
}

std::optional<std::int64_t> integer_of(std::string_view code, std::span<const std::byte> bytes) {
  if (code == "b1" || code == "u1") return read_little_endian<std::uint8_t>(bytes);
  if (code == "i1") return read_little_endian<std::int8_t>(bytes);
  if (code == "i2") return read_little_endian<std::int16_t>(bytes);
  if (code == "u2") return read_little_endian<std::uint16_t>(bytes);
  if (code == "i4") return read_little_endian<std::int32_t>(bytes);
  if (code == "u4") return read_little_endian<std::uint32_t>(bytes);
  if (code == "i8") return read_little_endian<std::int64_t>(bytes);
  return std::nullopt;
}

std::optional<double> floating_of(std::string_view code, std::span<const std::byte> bytes) {
  if (code == "f8") return std::bit_cast<double>(read_little_endian<std::uint64_t>(bytes));
  if (code == "f4") return std::bit_cast<float>(read_little_endian<std::uint32_t>(bytes));
  return std::nullopt;
}

}  // namespace

bool is_numpy_scalar(std::string_view name) { return name == "numpy.core.multiarray.scalar"; }

PickleRef numpy_scalar(PickleBuilder& builder, std::string_view callable, const PickleValue& arguments) {
  const bool fits = arguments.size() == 2 && arguments.item(1).is(PickleKind::bytes);
  const std::string_view code = fits ? code_of(arguments.item(0)) : std::string_view();
  if (code.size() != 2) return builder.add_object(callable, arguments.ref());
  const std::string_view text = arguments.item(1).text();
  if (text.size() != static_cast<std::size_t>(code[1] - '0'))
    throw Error(ErrorCode::damaged, "a NumPy scalar of " + std::to_string(text.size()) + " bytes with another dtype");
  const auto bytes = std::as_bytes(std::span(text));
  if (const auto value = integer_of(code, bytes)) return builder.add_integer(*value);
  if (const auto value = floating_of(code, bytes)) return builder.add_floating(*value);
  return builder.add_object(callable, arguments.ref());
}

}  // namespace goldentrace
