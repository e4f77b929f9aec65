#include "tape/ivalue.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tape/dtypes.h"
#include "tape/hexadecimal.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using testing::HasSubstr;

ValueIndex no_tensors(const at::Tensor&) { throw std::logic_error("no tensor expected"); }
at::Tensor no_values(ValueIndex) { throw std::logic_error("no value expected"); }

c10::TypePtr type_of(const char* op, const char* overload, const std::string& argument) {
  const auto& schema = c10::Dispatcher::singleton().findSchemaOrThrow(op, overload).schema();
  return schema.arguments()[static_cast<std::size_t>(*schema.argumentIndexWithName(argument))].real_type();
}

c10::IValue round_trip(const c10::IValue& value, const c10::TypePtr& type) {
  return decode(encode(value, no_tensors), *type, no_values);
}

TEST(DTypes, GoThereAndBack) {
  for (int i = 1; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(to_dtype(to_scalar_type(dtype)), dtype) << name(dtype);
    EXPECT_EQ(item_size(dtype), c10::elementSize(to_scalar_type(dtype))) << name(dtype);
  }
  EXPECT_THROW(to_dtype(at::kQInt8), Error);
  EXPECT_THROW(to_scalar_type(DType::none), Error);
}

TEST(Encode, PlainValues) {
  EXPECT_EQ(round_trip(7, c10::IntType::get()).toInt(), 7);
  EXPECT_EQ(round_trip(true, c10::BoolType::get()).toBool(), true);
  EXPECT_EQ(round_trip(-0.0, c10::FloatType::get()).toDouble(), 0.0);
  EXPECT_TRUE(std::signbit(round_trip(-0.0, c10::FloatType::get()).toDouble()));
  EXPECT_EQ(round_trip("mean", c10::StringType::get()).toStringRef(), "mean");
  EXPECT_EQ(round_trip(c10::Device("cpu"), c10::DeviceObjType::get()).toDevice(), c10::Device("cpu"));
  EXPECT_EQ(round_trip(c10::complex<double>(1, -2), c10::ComplexType::get()).toComplexDouble(),
            c10::complex<double>(1, -2));
  EXPECT_TRUE(round_trip({}, c10::OptionalType::create(c10::IntType::get())).isNone());
}

TEST(Encode, ScalarsKeepTheirKind) {
  EXPECT_TRUE(round_trip(2, c10::NumberType::get()).isInt());
  EXPECT_TRUE(round_trip(2.0, c10::NumberType::get()).isDouble());
  EXPECT_TRUE(round_trip(true, c10::NumberType::get()).isBool());
}

TEST(Encode, ListsKeepTheirElementType) {
  const Argument none = encode(c10::List<at::Tensor>(), no_tensors);
  EXPECT_EQ(none.kind, ArgumentKind::list);
  EXPECT_EQ(none.text, "Tensor");
  EXPECT_EQ(encode(c10::List<std::optional<at::Tensor>>(), no_tensors).text, "Tensor?");
  EXPECT_EQ(encode(c10::List<int64_t>(), no_tensors).text, "int");
  EXPECT_EQ(encode(c10::List<double>(), no_tensors).text, "float");
  EXPECT_EQ(encode(c10::List<bool>(), no_tensors).text, "bool");
  EXPECT_EQ(encode(c10::List<std::string>(), no_tensors).text, "str");
  EXPECT_TRUE(round_trip(c10::List<at::Tensor>(), type_of("aten::cat", "", "tensors")).isTensorList());
  EXPECT_TRUE(round_trip(c10::List<int64_t>({2, 3}), type_of("aten::view", "", "size")).isIntList());
  EXPECT_EQ(round_trip(c10::List<bool>({true, false}), c10::ListType::ofBools()).toBoolList().size(), 2U);
}

TEST(Encode, TensorsInLists) {
  const at::Tensor mask = at::ones({2});
  c10::List<std::optional<at::Tensor>> list;
  list.push_back(std::nullopt);
  list.push_back(mask);
  const Argument argument = encode(list, [](const at::Tensor&) { return 5; });
  ASSERT_EQ(argument.items.size(), 2U);
  EXPECT_EQ(argument.items[0].kind, ArgumentKind::none);
  EXPECT_EQ(argument.items[1].kind, ArgumentKind::tensor);
  EXPECT_EQ(argument.items[1].value, 5);
  const auto type = type_of("aten::index", "Tensor", "indices");
  const auto back = decode(argument, *type, [&](ValueIndex) { return mask; }).toOptionalTensorList();
  EXPECT_FALSE(std::optional<at::Tensor>(back[0]).has_value());
  EXPECT_TRUE(std::optional<at::Tensor>(back[1])->is_same(mask));
}

TEST(Encode, UndefinedTensors) {
  const Argument argument = encode(at::Tensor(), no_tensors);
  EXPECT_EQ(argument.kind, ArgumentKind::none);
  EXPECT_FALSE(decode(argument, *c10::TensorType::get(), no_values).toTensor().defined());
  EXPECT_TRUE(decode(argument, *c10::OptionalType::ofTensor(), no_values).isNone());
}

TEST(Encode, WrappedNumbersStayWrapped) {
  at::Tensor number = at::ones({}, at::kDouble);
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  const Argument argument = encode(number, no_tensors);
  EXPECT_EQ(argument.kind, ArgumentKind::number);
  EXPECT_EQ(argument.dtype, DType::float64);
  const at::Tensor back = decode(argument, *c10::TensorType::get(), no_values).toTensor();
  EXPECT_TRUE(back.unsafeGetTensorImpl()->is_wrapped_number());
  EXPECT_EQ(back.item<double>(), 1.0);
}

TEST(Encode, GeneratorsKeepTheirState) {
  EXPECT_EQ(encode(at::detail::getDefaultCPUGenerator(), no_tensors).text, "");
  const at::Generator own = at::detail::createCPUGenerator(99);
  const Argument argument = encode(own, no_tensors);
  EXPECT_EQ(argument.text.size(), 2U * 5056);
  const auto back = decode(argument, *c10::GeneratorType::get(), no_values).toGenerator();
  EXPECT_EQ(back.get<at::CPUGeneratorImpl>()->random64(), own.get<at::CPUGeneratorImpl>()->random64());
}

TEST(Decode, DtypeArgumentsMove) {
  const auto type = type_of("aten::softmax", "int", "dtype");
  const Argument half = encode(static_cast<int64_t>(at::kHalf), no_tensors);
  const Argument integer = encode(static_cast<int64_t>(at::kLong), no_tensors);
  EXPECT_EQ(decode(half, *type, no_values).toScalarType(), at::kHalf);
  EXPECT_EQ(decode(half, *type, no_values, {.dtype = DType::float64}).toScalarType(), at::kDouble);
  EXPECT_EQ(decode(integer, *type, no_values, {.dtype = DType::float64}).toScalarType(), at::kLong);
}

TEST(Decode, RefusesWrongKinds) {
  const Argument flag = encode(true, no_tensors);
  const auto wrong = [&](const c10::TypePtr& type) {
    try {
      decode(flag, *type, no_values);
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(wrong(c10::TensorType::get()), HasSubstr("bool given where Tensor is expected"));
  EXPECT_THAT(wrong(c10::IntType::get()), HasSubstr("bool given where int is expected"));
  EXPECT_THAT(wrong(c10::ListType::ofInts()), HasSubstr("bool given where"));
  EXPECT_THAT(wrong(c10::GeneratorType::get()), HasSubstr("bool given where"));
  EXPECT_THAT(wrong(c10::StorageType::get()), HasSubstr("cannot be replayed"));
}

TEST(Encode, RefusesWhatTracesCannotHold) {
  EXPECT_THROW(encode(c10::ivalue::Tuple::create({1, 2}), no_tensors), Error);
  EXPECT_THROW(encode(at::ones({2}).storage(), no_tensors), Error);
}

TEST(Hexadecimal, GoesThereAndBack) {
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{0x7f}, std::byte{0xff}};
  EXPECT_EQ(to_hexadecimal(bytes), "007fff");
  EXPECT_EQ(from_hexadecimal("007fff"), bytes);
  EXPECT_THROW(from_hexadecimal("0"), Error);
  EXPECT_THROW(from_hexadecimal("0g"), Error);
}

}  // namespace
}  // namespace goldentrace
