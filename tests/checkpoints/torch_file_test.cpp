#include "checkpoints/torch_file.h"

#include <gmock/gmock.h>

#include <cstring>

#include "checkpoints/tensor_file.h"
#include "checkpoints/torch_writer.h"
#include "tests/checkpoints/archives.h"
#include "tests/support/file_damage.h"

namespace goldentrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing_support;

class TorchFileTest : public TorchArchiveTest {
 protected:
  static TensorSource floats(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    return {.dtype = DType::float32, .shape = shape, .write = [values](const ByteSink& sink) {
              sink(std::as_bytes(std::span(values)));
            }};
  }
  static std::vector<float> values(const StridedTensor& view) {
    std::vector<float> numbers(element_count(view));
    copy_elements(view, std::as_writable_bytes(std::span(numbers)));
    return numbers;
  }
};

TEST_F(TorchFileTest, ReadsWhatTheWriterWrites) {
  write_torch_file(path(), {{"iteration", std::int64_t{5}},
                            {"version", 3.0},
                            {"name", std::string("x")},
                            {"model", TorchDict{{"w", floats({2, 2}, {1, 2, 3, 4})}, {"empty", floats({0, 3}, {})}}}});
  const TorchFile file(path());
  EXPECT_EQ(file.root().find("iteration")->integer(), 5);
  EXPECT_EQ(file.root().find("version")->number(), 3.0);
  EXPECT_EQ(file.root().find("name")->text(), "x");
  std::vector<std::string> names;
  each_tensor(file.root(), [&](const std::string& name, std::size_t) { names.push_back(name); });
  EXPECT_THAT(names, ElementsAre("model.w", "model.empty"));
  EXPECT_THAT(values(file.document().tensors[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(describe(file.document().tensors[1]), "float32 [0, 3]");
}

TEST_F(TorchFileTest, StridedTensorsAreViewsOfTheFile) {
  write_pickle(pickled::file(pickled::tensor({.offset = 1, .shape = {1, 1}, .strides = {7, 9}})));
  EXPECT_THAT(values(TorchFile(path()).document().tensors[0]), ElementsAre(2));
  write_pickle(pickled::file(pickled::tensor({.shape = {2, 1}, .strides = {1, 2}})));
  EXPECT_THAT(values(TorchFile(path()).document().tensors[0]), ElementsAre(1, 2));
  write_torch_file(path(), {{"w", floats({2, 3}, {0, 1, 2, 3, 4, 5})}});
  const TorchFile file(path());
  StridedTensor transposed = file.document().tensors[0];
  std::swap(transposed.shape[0], transposed.shape[1]);
  std::swap(transposed.strides[0], transposed.strides[1]);
  EXPECT_THAT(values(transposed), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(TorchFileTest, TensorsOutsideTheirStorageAreRefused) {
  const auto refused = [this](const pickled::Tensor& tensor) {
    return refusal_of(pickled::file(pickled::tensor(tensor)));
  };
  EXPECT_THAT(refused({.shape = {1000}}), HasSubstr("a tensor [1000] over a storage of 2 elements"));
  EXPECT_THAT(refused({.shape = {1000}, .elements = 1000}), HasSubstr("says 1000 elements, its entry has 8 bytes"));
  EXPECT_THAT(refused({.strides = {-1}}), HasSubstr("negative stride of a tensor: -1"));
  EXPECT_THAT(refused({.offset = -5}), HasSubstr("negative offset of a tensor: -5"));
  EXPECT_THAT(refused({.offset = 1}), HasSubstr("reaches past its storage"));
  EXPECT_THAT(refused({.strides = {2}}), HasSubstr("reaches past its storage"));
  EXPECT_THAT(refused({.strides = {INT64_MAX}}), HasSubstr("reaches past its storage"));
  EXPECT_THAT(refused({.shape = {INT64_MAX, 4}, .strides = {0, 0}}), HasSubstr("over a storage of 2 elements"));
  EXPECT_THAT(refused({.shape = {1L << 32, 1L << 32}, .strides = {0, 0}}), HasSubstr("over a storage of 2 elements"));
  EXPECT_THAT(refused({.offset = INT64_MAX, .shape = {}, .strides = {}}), HasSubstr("begins past its storage"));
  EXPECT_THAT(refused({.strides = {1, 1}}), HasSubstr("other numbers of extents and strides"));
  EXPECT_THAT(refused({.key = "7"}), HasSubstr("no storage 7"));
  EXPECT_THAT(refused({.type = "QInt8Storage"}), HasSubstr("torch.QInt8Storage"));
  EXPECT_THAT(refused({.shape = std::vector<std::int64_t>(65, 1), .strides = std::vector<std::int64_t>(65, 1)}),
              HasSubstr("a tensor of 65 dimensions"));
}

TEST_F(TorchFileTest, CutFilesAndFlippedBytes) {
  write_torch_file(path(), {{"w", floats({256}, std::vector<float>(256, 1))}});
  const std::string good = read_file(path());
  write_file(path(), good.substr(0, good.size() / 2));
  EXPECT_THAT(refusal(), HasSubstr("truncated (" + std::to_string(good.size() / 2) + " bytes)"));
  write_file(path(), "");
  EXPECT_THAT(refusal(), HasSubstr("empty file"));
  write_file(path(), good);
  const std::string ones("\0\0\x80\x3f\0\0\x80\x3f", 8);
  flip_byte(path(), good.find(ones) + 100);
  const TorchFile damaged(path());
  try {
    damaged.check(0);
    ADD_FAILURE() << "not seen";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("file.pt: CRC mismatch in archive/data/0"));
  }
  write_file(path(), good);
  flip_byte(path(), good.find("_rebuild"));
  EXPECT_THAT(refusal(), HasSubstr("CRC mismatch in archive/data.pkl"));
}

TEST_F(TorchFileTest, ArchivesOfOtherKindsAreRefused) {
  const std::string empty = pickled::file("}");
  write({{"readme", "x"}});
  EXPECT_THAT(refusal(), HasSubstr("no data.pkl in it"));
  write({{"a/data.pkl", empty}, {"a/constants.pkl", empty}});
  EXPECT_THAT(refusal(), HasSubstr("TorchScript"));
  write({{"a/data.pkl", empty}, {"a/byteorder", "big"}});
  EXPECT_THAT(refusal(), HasSubstr("not little-endian"));
}

TEST_F(TorchFileTest, FilesOfBothKindsOpenByTheirFirstBytes) {
  write_torch_file(folder() / "zip.safetensors", {{"w", floats({1}, {4})}});
  const auto file = open_tensor_file(folder() / "zip.safetensors");
  EXPECT_EQ(file->format(), "torch.save");
  EXPECT_EQ(file->tensors().at(0).name, "w");
  write_file(folder() / "html.bin", "<html>");
  EXPECT_THROW(open_tensor_file(folder() / "html.bin"), Error);
}

}  // namespace
}  // namespace goldentrace
