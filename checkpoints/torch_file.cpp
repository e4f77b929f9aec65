#include "checkpoints/torch_file.h"

#include <string>

#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::string_view pickle_name = "data.pkl";
constexpr int deepest = 32;
constexpr std::size_t most_values = 4'000'000;  // met on the way; a document that shares parts could name them forever

std::string key_text(const PickleValue& key) {
  if (key.is(PickleKind::text)) return std::string(key.text());
  const auto number = key.integer();
  return number ? std::to_string(*number) : std::string(name(key.kind()));
}

class TensorWalk {
 public:
  explicit TensorWalk(const std::function<void(std::string, std::size_t)>& body) : body_(body) {}

  void walk(const PickleValue& value, const std::string& prefix, int depth) {
    if (depth > deepest || ++met_ > most_values) throw Error(ErrorCode::damaged, "values nested without end");
    if (value.is(PickleKind::tensor)) return body_(prefix, value.tensor());
    const std::string start = prefix.empty() ? prefix : prefix + ".";
    value.each_member([&](PickleValue key, PickleValue member) { step(member, start, key_text(key), depth); });
    if (!value.is(PickleKind::list) && !value.is(PickleKind::tuple)) return;
    for (std::size_t i = 0; i < value.size(); ++i) step(value.item(i), start, std::to_string(i), depth);
  }

 private:
  void step(const PickleValue& value, const std::string& start, const std::string& key, int depth) {
    const bool leaf = value.is(PickleKind::none) || value.number() || value.is(PickleKind::text);
    if (!leaf) walk(value, start + key, depth + 1);
  }

  const std::function<void(std::string, std::size_t)>& body_;
  std::size_t met_ = 0;
};

}  // namespace

TorchFile::TorchFile(const std::filesystem::path& path, UnknownClass unknown) : zip_(path) {
  try {
    document_ = read(unknown);
  } catch (const Error& error) {
    const bool named = !error.place().file.empty();
    throw Error(error.code(), error.what(), {.file = named ? "" : path.string(), .record = {}});
  }
}

PickleDocument TorchFile::read(UnknownClass unknown) {
  const ZipEntry& entry = pickle();
  folder_ = entry.name.substr(0, entry.name.size() - pickle_name.size());
  check_archive();
  zip_.check(entry);
  try {
    return unpickle(zip_.data(entry), *this, unknown);
  } catch (const Error& error) {
    throw Error(error.code(), printable(entry.name) + " " + error.what());
  }
}

const ZipEntry& TorchFile::pickle() const {
  for (const ZipEntry& entry : zip_.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash != std::string_view::npos && entry.name.substr(slash + 1) == pickle_name) return entry;
  }
  throw Error(ErrorCode::not_a_trace, "not a torch.save archive (no data.pkl in it)");
}

void TorchFile::check_archive() const {
  const std::string folder(folder_);
  if (zip_.find(folder + "constants.pkl") != nullptr)
    throw Error(ErrorCode::unsupported, "is a TorchScript archive; save the state dict with torch.save");
  const ZipEntry* const order = zip_.find(folder + "byteorder");
  if (order == nullptr) return;
  const auto data = zip_.data(*order);
  if (std::string_view(reinterpret_cast<const char*>(data.data()), data.size()) != "little")
    throw Error(ErrorCode::unsupported, "is not little-endian; load and save it again on a little-endian machine");
}

const ZipEntry& TorchFile::entry(std::string_view key) const {
  const ZipEntry* const found = zip_.find(std::string(folder_) + "data/" + std::string(key));
  if (found == nullptr) throw Error(ErrorCode::damaged, "no storage " + printable(key.substr(0, 100)));
  return *found;
}

void each_tensor(const PickleValue& value, const std::function<void(std::string, std::size_t)>& body) {
  TensorWalk(body).walk(value, "", 0);
}

}  // namespace goldentrace
