#include "traces/hdf5_types.h"

#include <hdf5.h>

#include <string>

namespace goldentrace {
namespace {

Hdf5Handle copy_of(hid_t type) { return {hdf5_check(H5Tcopy(type), "copy a datatype"), H5Tclose}; }

struct FloatLayout {
  std::size_t sign, exponent_at, exponent_bits, mantissa_bits, bias;
};

Hdf5Handle two_byte_float(const FloatLayout& layout) {
  Hdf5Handle type = copy_of(H5T_IEEE_F32LE);
  hdf5_check(H5Tset_fields(type.id(), layout.sign, layout.exponent_at, layout.exponent_bits, 0, layout.mantissa_bits),
             "set the fields of a float");
  hdf5_check(H5Tset_size(type.id(), 2), "set the size of a float");
  hdf5_check(H5Tset_ebias(type.id(), layout.bias), "set the bias of a float");
  return type;
}

Hdf5Handle complex_of(DType part) {
  const Hdf5Handle type = element_type(part);
  const std::size_t size = item_size(part);
  Hdf5Handle pair{hdf5_check(H5Tcreate(H5T_COMPOUND, 2 * size), "create a complex type"), H5Tclose};
  hdf5_check(H5Tinsert(pair.id(), "r", 0, type.id()), "insert a real part");
  hdf5_check(H5Tinsert(pair.id(), "i", size, type.id()), "insert an imaginary part");
  return pair;
}

Hdf5Handle boolean_type() {
  Hdf5Handle type{hdf5_check(H5Tenum_create(H5T_STD_I8LE), "create an enumeration"), H5Tclose};
  signed char value = 0;
  hdf5_check(H5Tenum_insert(type.id(), "FALSE", &value), "insert FALSE");
  value = 1;
  hdf5_check(H5Tenum_insert(type.id(), "TRUE", &value), "insert TRUE");
  return type;
}

hid_t integer_type(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return H5T_STD_I8LE;
    case DType::int16:
      return H5T_STD_I16LE;
    case DType::int32:
      return H5T_STD_I32LE;
    case DType::int64:
      return H5T_STD_I64LE;
    case DType::uint16:
      return H5T_STD_U16LE;
    case DType::uint32:
      return H5T_STD_U32LE;
    case DType::uint64:
      return H5T_STD_U64LE;
    default:
      return H5T_STD_U8LE;  // uint8 and every float8
  }
}

Hdf5Handle field_type(const format::Field& field) {
  switch (field.type) {
    case format::FieldType::u8:
      return copy_of(H5T_STD_U8LE);
    case format::FieldType::i32:
      return copy_of(H5T_STD_I32LE);
    case format::FieldType::u32:
      return copy_of(H5T_STD_U32LE);
    case format::FieldType::i64:
      return copy_of(H5T_STD_I64LE);
    case format::FieldType::u64:
      return copy_of(H5T_STD_U64LE);
    case format::FieldType::f64:
      return copy_of(H5T_IEEE_F64LE);
    case format::FieldType::text:
      return text_type(field.size);
  }
  return {};
}

}  // namespace

Hdf5Handle element_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return boolean_type();
    case DType::float16:
      return two_byte_float({.sign = 15, .exponent_at = 10, .exponent_bits = 5, .mantissa_bits = 10, .bias = 15});
    case DType::bfloat16:
      return two_byte_float({.sign = 15, .exponent_at = 7, .exponent_bits = 8, .mantissa_bits = 7, .bias = 127});
    case DType::float32:
      return copy_of(H5T_IEEE_F32LE);
    case DType::float64:
      return copy_of(H5T_IEEE_F64LE);
    case DType::complex32:
      return complex_of(DType::float16);
    case DType::complex64:
      return complex_of(DType::float32);
    case DType::complex128:
      return complex_of(DType::float64);
    default:
      return copy_of(integer_type(dtype));
  }
}

Hdf5Handle row_type(std::span<const format::Field> fields, std::size_t row_bytes) {
  Hdf5Handle type{hdf5_check(H5Tcreate(H5T_COMPOUND, row_bytes), "create a row type"), H5Tclose};
  for (const format::Field& field : fields) {
    const Hdf5Handle member = field_type(field);
    hdf5_check(H5Tinsert(type.id(), field.name, field.offset, member.id()), std::string("insert ") + field.name);
  }
  return type;
}

Hdf5Handle text_type(std::size_t bytes) {
  Hdf5Handle type = copy_of(H5T_C_S1);
  hdf5_check(H5Tset_size(type.id(), bytes), "set the size of a text");
  hdf5_check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "set the character set of a text");
  hdf5_check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), "set the padding of a text");
  return type;
}

}  // namespace goldentrace
