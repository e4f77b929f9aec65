#include "cli/npy_reader.h"

#include <charconv>
#include <cstring>

#include "traces/error.h"

namespace goldentrace {
namespace {

struct Head {
  std::string descriptor;
  std::string order;
  std::vector<std::int64_t> shape;
  std::size_t data = 0;  // where the elements begin
};

[[noreturn]] void refuse(ErrorCode code, const std::string& what, const std::string& path) {
  throw Error(code, what, {path, ""});
}

// The text between the key's colon and what ends its value.
std::string_view value_of(std::string_view head, std::string_view key, char end, const std::string& path) {
  const std::size_t at = head.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) refuse(ErrorCode::damaged, "header has no '" + std::string(key) + "'", path);
  std::string_view rest = head.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t stop = rest.find(end);
  if (stop == std::string_view::npos) refuse(ErrorCode::damaged, "header is not closed", path);
  return rest.substr(0, stop);
}

std::vector<std::int64_t> parse_shape(std::string_view text, const std::string& path) {
  std::vector<std::int64_t> shape;
  std::size_t at = text.find('(') + 1;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == ',') {
      ++at;
      continue;
    }
    std::int64_t size = 0;
    const auto [stop, failure] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (failure != std::errc() || size < 1) refuse(ErrorCode::damaged, "impossible shape", path);
    shape.push_back(size);
    at = static_cast<std::size_t>(stop - text.data());
  }
  if (shape.empty() || shape.size() > 3) refuse(ErrorCode::unsupported, "needs one to three dimensions", path);
  return shape;
}

Head parse_head(std::string_view bytes, const std::string& path) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) refuse(ErrorCode::damaged, "is no .npy file", path);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool short_length = byte(6) == 1;
  const std::size_t length =
      short_length ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = short_length ? 10 : 12;
  if (length > bytes.size() - begin) refuse(ErrorCode::damaged, "truncated in its header", path);
  const std::string_view head = bytes.substr(begin, length);
  Head result;
  result.descriptor = value_of(head, "descr", ',', path);
  result.order = value_of(head, "fortran_order", ',', path);
  result.shape = parse_shape(value_of(head, "shape", ')', path), path);
  result.data = begin + length;
  return result;
}

template <class Integer>
std::vector<std::int64_t> widen(std::string_view data) {
  std::vector<std::int64_t> values(data.size() / sizeof(Integer));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Integer value;
    std::memcpy(&value, data.data() + i * sizeof(Integer), sizeof value);
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

struct Conversion {
  const char* descriptor;
  std::size_t size;
  std::vector<std::int64_t> (*widen)(std::string_view);
};

constexpr Conversion conversions[] = {
    {"'<i8'", 8, widen<std::int64_t>}, {"'<i4'", 4, widen<std::int32_t>},  {"'<i2'", 2, widen<std::int16_t>},
    {"'|i1'", 1, widen<std::int8_t>},  {"'<u4'", 4, widen<std::uint32_t>}, {"'<u2'", 2, widen<std::uint16_t>},
    {"'|u1'", 1, widen<std::uint8_t>}, {"'|b1'", 1, widen<std::uint8_t>},
};

const Conversion& conversion_of(const Head& head, const std::string& path) {
  for (const Conversion& conversion : conversions) {
    if (head.descriptor == conversion.descriptor) return conversion;
  }
  refuse(ErrorCode::unsupported, "holds " + head.descriptor + ", not integers; save it as int64", path);
}

}  // namespace

IdTable parse_npy_integers(std::string_view bytes, const std::string& path) {
  const Head head = parse_head(bytes, path);
  const Conversion& conversion = conversion_of(head, path);
  if (head.order != "False" && head.shape.size() > 1) {
    refuse(ErrorCode::unsupported, "is in Fortran order; save it with numpy.ascontiguousarray", path);
  }
  const std::size_t available = bytes.size() - head.data;
  std::size_t needed = conversion.size;
  for (const std::int64_t size : head.shape) {
    if (static_cast<std::size_t>(size) > available / needed) refuse(ErrorCode::damaged, "is truncated", path);
    needed *= static_cast<std::size_t>(size);
  }
  if (needed != available) refuse(ErrorCode::damaged, "size does not fit its shape", path);
  return {head.shape, conversion.widen(bytes.substr(head.data))};
}

}  // namespace goldentrace
