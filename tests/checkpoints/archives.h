// Builds pickles and torch.save archives byte by byte, good and bad, in a temporary folder of the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoints/little_endian.h"
#include "checkpoints/torch_file.h"
#include "checkpoints/zip_writer.h"
#include "tests/support/temporary_folder.h"
#include "traces/error.h"

namespace goldentrace {

using namespace std::string_literals;

// Pieces of pickles, protocol 2.
namespace pickled {

inline std::string number(std::int64_t value) {
  std::string text = "\x8a\x08";
  append_little_endian(text, value);
  return text;
}
inline std::string text(std::string_view value) {
  std::string bytes = "X";
  append_little_endian(bytes, static_cast<std::uint32_t>(value.size()));
  return bytes.append(value);
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::int64_t>& numbers) {
  std::string bytes = "(";
  for (const std::int64_t each : numbers) bytes += number(each);
  return bytes + "t";
}
inline std::string file(const std::string& value) { return "\x80\x02" + value + "."; }

struct Tensor {
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape{2}, strides{1};
  std::int64_t elements = 2;  // that the storage claims
  std::string type = "FloatStorage";
  std::string key = "0";
};

inline std::string tensor(const Tensor& t) {
  return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") + global("torch", t.type) + text(t.key) +
         text("cpu") + number(t.elements) + "tQ" + number(t.offset) + tuple(t.shape) + tuple(t.strides) + "\x89}tR";
}

inline std::string dict(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes = "}(";
  for (const auto& [key, value] : members) bytes += text(key) + value;
  return bytes + "u";
}

}  // namespace pickled

class TorchArchiveTest : public ::testing::Test {
 protected:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path path() const { return folder_ / "file.pt"; }

  void write(const Entries& entries) const {
    SequentialFile file(path());
    ZipWriter zip(file);
    for (const auto& [name, data] : entries) zip.add(name, std::as_bytes(std::span(data)));
    zip.finish();
    file.finish();
  }
  // data.pkl with one storage "0" of eight bytes.
  void write_pickle(const std::string& pickle) const {
    write({{"archive/data.pkl", pickle}, {"archive/data/0", std::string("\0\0\x80\x3f\0\0\0\x40", 8)}});
  }

  std::string refusal(UnknownClass unknown = UnknownClass::refuse) const {
    try {
      const TorchFile file(path(), unknown);
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("file.pt: "), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
    ADD_FAILURE() << "opened";
    return {};
  }
  std::string refusal_of(const std::string& pickle) const {
    write_pickle(pickle);
    return refusal();
  }

 private:
  testing_support::TemporaryFolder folder_;
};

}  // namespace goldentrace
