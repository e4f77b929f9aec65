#include "checkpoints/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "checkpoints/safetensors_layout.h"
#include "checkpoints/safetensors_names.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::damaged, what); }

// Receives the events of nlohmann's streaming parser and accepts exactly the grammar of the header:
// {"__metadata__": {text: text…}, name: {"dtype": text, "shape": [number…], "data_offsets": [number, number]}…}
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(SafetensorsHeader& header) : header_(header) {}

  bool start_object(std::size_t) override {
    if (level_ == Level::outside) return enter(Level::top);
    if (level_ == Level::top && key_ == "__metadata__") return start_metadata();
    if (level_ == Level::top) return start_tensor();
    refuse(where() + " is an object");
  }
  bool end_object() override {
    if (level_ == Level::tensor) finish_tensor();
    level_ = Level::top;
    return true;
  }
  bool start_array(std::size_t) override {
    if (level_ != Level::tensor || (key_ != "shape" && key_ != "data_offsets")) refuse(where() + " is a list");
    return enter(Level::list);
  }
  bool end_array() override { return enter(Level::tensor); }
  bool key(std::string& name) override {
    if (level_ == Level::tensor && !seen_.insert(name).second) refuse(tensor() + ": " + shown_name(name) + " twice");
    key_ = std::move(name);
    return true;
  }
  bool string(std::string& value) override {
    if (level_ == Level::metadata) return take_metadata(std::move(value));
    if (level_ != Level::tensor || key_ != "dtype") refuse(where() + " is a text");
    entry_.dtype = dtype_of_safetensors(value);
    if (entry_.dtype == DType::none) refuse(tensor() + ": unknown dtype " + shown_name(value));
    return true;
  }
  bool number_unsigned(std::uint64_t value) override {
    if (level_ != Level::list) refuse(where() + " is a number");
    auto& list = key_ == "shape" ? shape_ : offsets_;
    if (list.size() == (key_ == "shape" ? 64 : 2)) refuse(where() + " is too long");
    list.push_back(value);
    return true;
  }
  bool number_integer(std::int64_t value) override { refuse(where() + " is negative: " + std::to_string(value)); }
  bool number_float(double, const std::string& text) override {
    refuse(where() + " is no whole number: " + shown_name(text));
  }
  bool null() override { refuse(where() + " is null"); }
  bool boolean(bool) override { refuse(where() + " is a truth value"); }
  bool binary(binary_t&) override { refuse(where() + " is binary"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse("the header is no valid JSON at byte " + std::to_string(position));
  }

 private:
  enum class Level { outside, top, metadata, tensor, list };

  bool enter(Level level) {
    level_ = level;
    return true;
  }
  std::string tensor() const { return "tensor " + shown_name(entry_.name); }
  std::string where() const {
    switch (level_) {
      case Level::outside:
        return "the header";
      case Level::top:
        return shown_name(key_);
      case Level::metadata:
        return "__metadata__ " + shown_name(key_);
      default:
        return tensor() + ": " + shown_name(key_);
    }
  }
  bool start_metadata() {
    if (std::exchange(has_metadata_, true)) refuse("__metadata__ twice");
    return enter(Level::metadata);
  }
  bool start_tensor() {
    entry_ = {.name = key_};
    shape_.clear();
    offsets_.clear();
    seen_.clear();
    return enter(Level::tensor);
  }
  bool take_metadata(std::string value) {
    if (!header_.metadata.emplace(key_, std::move(value)).second)
      refuse("__metadata__: " + shown_name(key_) + " twice");
    return true;
  }
  void finish_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"})
      if (!seen_.contains(field)) refuse(tensor() + ": no " + field);
    if (seen_.size() != 3) refuse(tensor() + ": unknown fields");
    if (offsets_.size() != 2) refuse(tensor() + ": data_offsets must be two numbers");
    place_entry(entry_, shape_, offsets_[0], offsets_[1]);
    header_.entries.push_back(std::move(entry_));
  }

  SafetensorsHeader& header_;
  Level level_ = Level::outside;
  bool has_metadata_ = false;
  std::string key_;
  SafetensorsEntry entry_;
  std::vector<std::uint64_t> shape_, offsets_;
  std::set<std::string> seen_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json) {
  if (!json.starts_with('{')) refuse("the header does not begin with {");
  SafetensorsHeader header;
  HeaderReader reader(header);
  nlohmann::json::sax_parse(json, &reader);
  check_layout(header.entries);
  return header;
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t longest = 200;
  std::string text(name.substr(0, longest));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return name.size() > longest ? text + "…" : text;
}

}  // namespace goldentrace
