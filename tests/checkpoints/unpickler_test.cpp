#include "checkpoints/unpickler.h"

#include <gmock/gmock.h>

#include "tests/checkpoints/archives.h"

namespace goldentrace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class NoStorages : public StorageSource {
 public:
  std::span<const std::byte> storage(std::string_view) const override { throw Error(ErrorCode::damaged, "no storage"); }
};

class UnpicklerTest : public ::testing::Test {
 protected:
  PickleValue read(const std::string& value, UnknownClass unknown = UnknownClass::refuse) {
    bytes_ = pickled::file(value);
    document_ = unpickle(std::as_bytes(std::span(bytes_)), NoStorages(), unknown);
    return {document_, document_.root};
  }
  std::string refusal(const std::string& value) {
    try {
      read(value);
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "read";
    return {};
  }

 private:
  std::string bytes_;
  PickleDocument document_;
};

TEST_F(UnpicklerTest, NumbersTextsAndNone) {
  EXPECT_EQ(read("K\x07").integer(), 7);
  EXPECT_EQ(read("J\xff\xff\xff\xff").integer(), -1);
  EXPECT_EQ(read("M\xff\xff").integer(), 65535);
  EXPECT_EQ(read("\x8a\x02\x00\x80"s).integer(), -32768);
  EXPECT_EQ(read("\x8a\x00"s).integer(), 0);
  EXPECT_EQ(read("\x88").integer(), 1);
  EXPECT_EQ(read("G\x3f\xf8\0\0\0\0\0\0"s).number(), 1.5);
  EXPECT_EQ(read(pickled::text("schön")).text(), "schön");
  EXPECT_TRUE(read("N").is(PickleKind::none));
  EXPECT_EQ(describe(read("\x8a\x09\1\2\3\4\5\6\7\x08\x09")), "int");  // beyond 64 bits: only its name
}

TEST_F(UnpicklerTest, CollectionsAndMemo) {
  const PickleValue dict = read(pickled::dict({{"a",
                                                "](K\x01K\x02"
                                                "e"},
                                               {"b", "K\x03\x85"}}));
  EXPECT_EQ(dict.find("a")->item(1).integer(), 2);
  EXPECT_TRUE(dict.find("b")->is(PickleKind::tuple));
  EXPECT_FALSE(dict.find("c"));
  EXPECT_EQ(read("](K\x05q\x00h\x00"
                 "e"s)
                .item(1)
                .integer(),
            5);
  EXPECT_EQ(read("(K\x01K\x02l").item(1).integer(), 2);
}

TEST_F(UnpicklerTest, OrderedDictKeepsOrderAndDropsItsAttributes) {
  const PickleValue dict = read(pickled::global("collections", "OrderedDict") + ")R(" + pickled::text("b") + "K\x01" +
                                pickled::text("a") + "K\x02u" + pickled::dict({{"_metadata", "}"}}) + "b");
  ASSERT_EQ(dict.size(), 4u);
  EXPECT_EQ(dict.item(0).text(), "b");
  EXPECT_EQ(dict.find("a")->integer(), 2);
}

TEST_F(UnpicklerTest, NamespaceIsInertData) {
  const PickleValue args = read(pickled::global("argparse", "Namespace") + ")\x81" +
                                pickled::dict({{"num_layers", "K\x02"}, {"lr", "G\x3f\xf8\0\0\0\0\0\0"s}}) + "b");
  EXPECT_TRUE(args.is(PickleKind::object));
  EXPECT_EQ(args.find("num_layers")->integer(), 2);
  EXPECT_EQ(args.find("lr")->number(), 1.5);
}

TEST_F(UnpicklerTest, EnumsAreInertData) {
  const std::string by_value = pickled::global("megatron.enums", "PositionEmbeddingType") + "K\x03\x85R";
  EXPECT_EQ(describe(read(by_value)), "PositionEmbeddingType(3)");
  const std::string by_name = pickled::global("__builtin__", "getattr") +
                              pickled::global("megatron.core.enums", "ModelType") + pickled::text("encoder") + "\x86R";
  EXPECT_EQ(describe(read(by_name)), "ModelType('encoder')");
  EXPECT_THAT(refusal(pickled::global("builtins", "getattr") + pickled::global("argparse", "Namespace") +
                      pickled::text("x") + "\x86R"),
              HasSubstr("only members of known enums"));
}

TEST_F(UnpicklerTest, NumPyScalarsAreNumbers) {
  const std::string dtype = pickled::global("numpy", "dtype") + pickled::text("f8") + "\x89\x88\x87R";
  const std::string bytes = "C\x08\0\0\0\0\0\0\xf8\x3f"s;
  EXPECT_EQ(read(pickled::global("numpy._core.multiarray", "scalar") + dtype + bytes + "\x86R").number(), 1.5);
  EXPECT_THAT(refusal(pickled::global("numpy.core.multiarray", "scalar") + dtype + "C\x01x\x86R"),
              HasSubstr("NumPy scalar of 1 bytes"));
}

TEST_F(UnpicklerTest, UnknownClassesAreRefusedByName) {
  EXPECT_THAT(refusal(pickled::global("os", "system") + pickled::text("touch x") + "\x85R"),
              AllOf(HasSubstr("names os.system"), HasSubstr("nothing was run")));
  EXPECT_THAT(refusal(pickled::global("my_pkg", "Thing") + ")R"), HasSubstr("my_pkg.Thing"));
  EXPECT_THAT(refusal(pickled::text("builtins") + pickled::text("eval") + "\x93"), HasSubstr("builtins.eval"));
  EXPECT_THAT(refusal(pickled::global("torch.storage", "_load_from_bytes")), HasSubstr("_load_from_bytes"));
}

TEST_F(UnpicklerTest, UnknownClassesStayNamesWhereThatIsAskedFor) {
  const PickleValue thing = read(pickled::global("my_pkg", "Thing") + ")\x81" + pickled::dict({{"x", "K\x01"}}) + "b",
                                 UnknownClass::keep_inert);
  EXPECT_EQ(thing.text(), "my_pkg.Thing");
  EXPECT_EQ(thing.find("x")->integer(), 1);
}

TEST_F(UnpicklerTest, OperandsOfAnotherKindAreRefused) {
  EXPECT_THAT(refusal("]K\x01K\x02s"), AllOf(HasSubstr("byte 7: "), HasSubstr("SETITEM on a list")));
  EXPECT_THAT(refusal("}K\x01"
                      "a"),
              HasSubstr("APPEND on a dict"));
  EXPECT_THAT(refusal("K\x01"
                      "}b"),
              HasSubstr("BUILD on an integer"));
  EXPECT_THAT(refusal("K\x01)R"), HasSubstr("calls an integer"));
  EXPECT_THAT(refusal(pickled::global("collections", "OrderedDict") + "]R"), HasSubstr("without a tuple"));
  EXPECT_THAT(refusal("}(K\x01u"), HasSubstr("a key without a value"));
  EXPECT_THAT(refusal("t"), HasSubstr("no mark on the stack"));
  EXPECT_THAT(refusal(""), HasSubstr("nothing on the stack"));
  EXPECT_THAT(refusal("0"), HasSubstr("nothing on the stack"));
  EXPECT_THAT(refusal("N(a"), HasSubstr("nothing on the stack"));
  EXPECT_THAT(refusal("h\x05"), HasSubstr("memo 5 was never set"));
  EXPECT_THAT(refusal("NQ"), HasSubstr("no storage"));
  EXPECT_THAT(refusal("I1\n"), HasSubstr("opcode 73 is not read here"));
  EXPECT_THAT(refusal(pickled::global("torch._utils", "_rebuild_tensor_v2") + "(K\x01K\x02K\x03K\x04tR"),
              HasSubstr("a tensor over an integer"));
  EXPECT_THAT(refusal(pickled::global("torch", "FloatStorage") + ")R"), HasSubstr("FloatStorage is called"));
}

TEST_F(UnpicklerTest, LengthsPastTheEndAreTruncation) {
  EXPECT_THAT(refusal("X\xff\xff\xff\xff"), HasSubstr("truncated"));
  EXPECT_THAT(refusal("\x8d" + std::string(8, '\xff')), HasSubstr("truncated"));
  EXPECT_THAT(refusal("\x8b\xff\xff\xff\xff"), HasSubstr("a negative length"));
  EXPECT_THAT(refusal("cbuiltins"), HasSubstr("truncated"));
}

TEST_F(UnpicklerTest, MemoryIsBounded) {
  EXPECT_THAT(refusal(std::string(1'000'000, '(')), HasSubstr("nothing on the stack"));
  EXPECT_THAT(refusal(std::string(1'000'000, '}')), HasSubstr("MiB of objects"));
  EXPECT_THAT(refusal("Nr\xff\xff\xff\xff"), HasSubstr("MiB of objects"));
  std::string twice =
      "](K\x01"
      "e";  // APPENDS of itself, again and again
  for (int i = 0; i < 64; ++i)
    twice +=
        "q\x01(h\x01h\x01"
        "e"s;
  EXPECT_NO_THROW(read(twice));
}

TEST_F(UnpicklerTest, TensorsNestedWithoutEndAreRefused) {
  const PickleValue loop = read(
      "]q\x01h\x01h\x01\x86"
      "a"s);
  EXPECT_THROW(each_tensor(loop, [](const std::string&, std::size_t) {}), Error);
}

}  // namespace
}  // namespace goldentrace
