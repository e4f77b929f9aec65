#include "diff/relation/element_math.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernels/half.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

struct Half {
  using Bits = std::uint16_t;
  static double read(Bits bits) { return half_to_float(bits); }
  static Bits write(double value) { return to_half(value); }
};
struct Bfloat {
  using Bits = std::uint16_t;
  static double read(Bits bits) { return bfloat16_to_float(bits); }
  static Bits write(double value) { return to_bfloat16(value); }
};
struct Single {
  using Bits = float;
  static double read(Bits bits) { return bits; }
  static Bits write(double value) { return static_cast<float>(value); }
};
struct Double {
  using Bits = double;
  static double read(Bits bits) { return bits; }
  static Bits write(double value) { return value; }
};

template <typename Use>
void with_type(DType dtype, const Use& use) {
  switch (dtype) {
    case DType::float16:
      return use(Half{});
    case DType::bfloat16:
      return use(Bfloat{});
    case DType::float32:
      return use(Single{});
    case DType::float64:
      return use(Double{});
    default:
      require_floating(dtype, "arithmetic");
  }
}

template <typename Type>
double load(const std::byte* elements, std::size_t i) {
  typename Type::Bits bits;
  std::memcpy(&bits, elements + i * sizeof(bits), sizeof(bits));
  return Type::read(bits);
}

template <typename Type>
void store(std::byte* elements, std::size_t i, double value) {
  const typename Type::Bits bits = Type::write(value);
  std::memcpy(elements + i * sizeof(bits), &bits, sizeof(bits));
}

}  // namespace

void require_floating(DType dtype, std::string_view what) {
  if (dtype_class(dtype) == DTypeClass::floating) return;
  throw Error(ErrorCode::usage, std::string(what) + " takes floating tensors, not " + std::string(name(dtype)));
}

void scale_elements(std::span<std::byte> elements, DType dtype, double k) {
  with_type(dtype, [&](auto type) {
    using Type = decltype(type);
    const std::size_t count = elements.size() / sizeof(typename Type::Bits);
    for (std::size_t i = 0; i < count; ++i) store<Type>(elements.data(), i, load<Type>(elements.data(), i) * k);
  });
}

// The sum of two float32 in double, rounded once more, is their float32 sum (53 >= 2 x 24 + 2).
void add_elements(std::span<std::byte> sum, std::span<const std::byte> other, DType dtype) {
  with_type(dtype, [&](auto type) {
    using Type = decltype(type);
    const std::size_t count = sum.size() / sizeof(typename Type::Bits);
    const std::size_t period = other.size() / sizeof(typename Type::Bits);
    for (std::size_t i = 0, j = 0; i < count; ++i, j = j + 1 == period ? 0 : j + 1) {
      store<Type>(sum.data(), i, load<Type>(sum.data(), i) + load<Type>(other.data(), j));
    }
  });
}

std::vector<std::byte> cast_elements(std::span<const std::byte> elements, DType from, DType to) {
  std::vector<std::byte> result;
  with_type(from, [&](auto source) {
    with_type(to, [&](auto target) {
      const std::size_t count = elements.size() / item_size(from);
      result.resize(count * item_size(to));
      for (std::size_t i = 0; i < count; ++i) {
        store<decltype(target)>(result.data(), i, load<decltype(source)>(elements.data(), i));
      }
    });
  });
  return result;
}

std::size_t clear_masked(std::span<std::byte> elements, DType dtype, std::span<const std::byte> keep) {
  const std::size_t item = item_size(dtype);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != std::byte{0}) {
      ++kept;
    } else {
      std::memset(elements.data() + i * item, 0, item);
    }
  }
  return kept;
}

std::vector<std::byte> nonzero_elements(std::span<const std::byte> elements, DType dtype) {
  std::vector<std::byte> result;
  with_type(dtype, [&](auto type) {
    using Type = decltype(type);
    result.resize(elements.size() / sizeof(typename Type::Bits));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = load<Type>(elements.data(), i) != 0 ? std::byte{1} : std::byte{0};
    }
  });
  return result;
}

}  // namespace goldentrace
