#include "checkpoints/hf_index.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::damaged, what); }

std::string shown(std::string_view text) { return printable(text.substr(0, 200)); }

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

// Receives nlohmann's streaming events; keeps the weight map and passes over anything else down to a few levels.
class IndexReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool start_object(std::size_t) override { return deeper(); }
  bool start_array(std::size_t) override {
    if (depth_ == 0 || in_map()) refuse(depth_ == 0 ? "is a list" : "weight_map: " + shown(key_) + " is a list");
    return deeper();
  }
  bool end_object() override { return shallower(); }
  bool end_array() override { return shallower(); }
  bool key(std::string& name) override {
    key_ = std::move(name);
    if (depth_ == 1) section_ = key_;
    if (depth_ == 1 && section_ == "weight_map" && std::exchange(has_map_, true)) refuse("weight_map twice");
    return true;
  }
  bool string(std::string& value) override {
    if (depth_ == 0 || (depth_ == 1 && section_ == "weight_map")) refuse("weight_map is no object");
    if (!in_map()) return true;
    if (!is_plain_name(value)) refuse("weight_map: " + shown(key_) + " is in the file '" + shown(value) + "'");
    if (!map.emplace(key_, std::move(value)).second) refuse("weight_map: " + shown(key_) + " twice");
    return true;
  }
  bool number_unsigned(std::uint64_t) override { return other(); }
  bool number_integer(std::int64_t) override { return other(); }
  bool number_float(double, const std::string&) override { return other(); }
  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse("is no valid JSON at byte " + std::to_string(position));
  }
  bool has_map() const { return has_map_; }

  std::map<std::string, std::string> map;

 private:
  static constexpr int deepest = 16;

  bool in_map() const { return depth_ == 2 && section_ == "weight_map"; }
  bool deeper() {
    if (in_map()) refuse("weight_map: " + shown(key_) + " is no text");
    if (++depth_ > deepest) refuse("is nested too deeply");
    return true;
  }
  bool shallower() {
    --depth_;
    return true;
  }
  bool other() {
    if (depth_ == 0) refuse("is no object");
    if (in_map()) refuse("weight_map: " + shown(key_) + " is no text");
    if (depth_ == 1 && section_ == "weight_map") refuse("weight_map is no object");
    return true;
  }

  int depth_ = 0;
  bool has_map_ = false;
  std::string section_, key_;
};

}  // namespace

std::map<std::string, std::string> parse_hf_index(std::string_view json) {
  IndexReader reader;
  nlohmann::json::sax_parse(json, &reader);
  if (!reader.has_map()) refuse("has no weight_map");
  return std::move(reader.map);
}

}  // namespace goldentrace
