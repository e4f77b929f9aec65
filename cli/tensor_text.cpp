#include "cli/tensor_text.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "cli/number.h"

namespace goldentrace {
namespace {

template <class Integer>
std::string integer_text(const std::byte* bytes) {
  Integer value;
  std::memcpy(&value, bytes, sizeof value);
  return std::to_string(value);
}

DType component(DType dtype) {
  if (dtype == DType::complex32) return DType::float16;
  return dtype == DType::complex64 ? DType::float32 : DType::float64;
}

std::string complex_text(const TensorView& tensor, std::int64_t index) {
  const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(tensor.bytes.size() / item_size(tensor.dtype)) * 2};
  const TensorView parts{component(tensor.dtype), shape, tensor.bytes};
  const std::string imaginary = decimal(element_as_double(parts, 2 * index + 1));
  return decimal(element_as_double(parts, 2 * index)) + (imaginary.starts_with("-") ? "" : "+") + imaginary + "j";
}

std::string exact_integer(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::int64:
      return integer_text<std::int64_t>(bytes);
    case DType::uint64:
      return integer_text<std::uint64_t>(bytes);
    default:
      return "";
  }
}

std::string byte_text(std::byte byte) {
  std::array<char, 8> buffer;
  std::snprintf(buffer.data(), buffer.size(), "0x%02x", std::to_integer<unsigned>(byte));
  return buffer.data();
}

// Writes nested brackets while counting down what may still be printed.
class Printer {
 public:
  Printer(const TensorView& tensor, std::int64_t limit) : tensor_(tensor), left_(limit == 0 ? -1 : limit) {}

  std::string print() {
    level(0);
    return std::move(text_);
  }

 private:
  void level(std::size_t axis) {
    if (axis == tensor_.shape.size()) {
      text_ += element_text(tensor_, next_++);
      if (left_ > 0) --left_;
      return;
    }
    text_ += '[';
    for (std::int64_t i = 0; i < tensor_.shape[axis]; ++i) {
      if (i > 0) separate(axis);
      if (left_ == 0) {
        text_ += "…";
        break;
      }
      level(axis + 1);
    }
    text_ += ']';
  }

  void separate(std::size_t axis) {
    const bool innermost = axis + 1 == tensor_.shape.size();
    text_ += innermost ? ", " : ",\n" + std::string(axis + 1, ' ');
  }

  const TensorView& tensor_;
  std::int64_t left_;  // -1: no limit
  std::int64_t next_ = 0;
  std::string text_;
};

}  // namespace

std::string element_text(const TensorView& tensor, std::int64_t index) {
  const std::byte* bytes = tensor.bytes.data() + static_cast<std::size_t>(index) * item_size(tensor.dtype);
  switch (dtype_class(tensor.dtype)) {
    case DTypeClass::boolean:
      return *bytes != std::byte{0} ? "true" : "false";
    case DTypeClass::complex:
      return complex_text(tensor, index);
    case DTypeClass::opaque:
      return byte_text(*bytes);
    case DTypeClass::none:
      return "None";
    case DTypeClass::integer:
      if (std::string text = exact_integer(tensor.dtype, bytes); !text.empty()) return text;
      return std::to_string(static_cast<std::int64_t>(element_as_double(tensor, index)));
    case DTypeClass::floating:
      break;
  }
  return decimal(element_as_double(tensor, index));
}

std::string tensor_text(const TensorView& tensor, std::int64_t limit) {
  if (tensor.dtype == DType::none) return "None";
  return Printer(tensor, limit).print();
}

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

std::string type_text(const Record& record) {
  if (record.dtype == DType::none) return "None";
  return std::string(name(record.dtype)) + shape_text(record.shape);
}

}  // namespace goldentrace
