#include "checkpoints/pickle_value.h"

#include <array>
#include <charconv>

#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::array<std::string_view, 14> kind_names{"None",    "a boolean", "an integer", "a number", "a text",
                                                      "bytes",   "a tuple",   "a list",     "a set",    "a dict",
                                                      "a class", "an object", "a storage",  "a tensor"};

std::string decimal_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  return "'" + printable(text.substr(0, longest)) + (text.size() > longest ? "…'" : "'");
}

std::string class_name(std::string_view qualified) {
  return printable(qualified.substr(qualified.rfind('.') == std::string_view::npos ? 0 : qualified.rfind('.') + 1));
}

// Enums and the like: the class with its one simple argument.
std::string describe_object(const PickleValue& value) {
  std::string text = class_name(value.text());
  if (value.size() != 1 || !value.item(0).is(PickleKind::tuple) || value.item(0).size() != 1) return text;
  const PickleValue argument = value.item(0).item(0);
  const bool simple = argument.integer() || argument.is(PickleKind::text);
  return simple ? text + "(" + describe(argument) + ")" : text;
}

}  // namespace

std::string_view name(PickleKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<std::int64_t> PickleValue::integer() const {
  if (!is(PickleKind::integer) && !is(PickleKind::boolean)) return std::nullopt;
  return node().integer;
}

std::optional<double> PickleValue::number() const {
  if (is(PickleKind::floating)) return node().floating;
  if (const auto whole = integer()) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<PickleValue> PickleValue::members() const {
  if (is(PickleKind::dict)) return *this;
  if (!is(PickleKind::object) || size() < 2 || !item(1).is(PickleKind::dict)) return std::nullopt;
  return item(1);
}

std::optional<PickleValue> PickleValue::find(std::string_view key) const {
  const std::optional<PickleValue> dict = members();
  if (!dict) return std::nullopt;
  for (std::size_t i = dict->size(); i >= 2; i -= 2)
    if (dict->item(i - 2).is(PickleKind::text) && dict->item(i - 2).text() == key) return dict->item(i - 1);
  return std::nullopt;
}

void PickleValue::each_member(const std::function<void(PickleValue, PickleValue)>& body) const {
  const std::optional<PickleValue> dict = members();
  if (!dict) return;
  for (std::size_t i = 0; i + 1 < dict->size(); i += 2) body(dict->item(i), dict->item(i + 1));
}

std::string describe(const PickleValue& value) {
  switch (value.kind()) {
    case PickleKind::boolean:
      return *value.integer() != 0 ? "True" : "False";
    case PickleKind::integer:
      return std::to_string(*value.integer());
    case PickleKind::floating:
      return decimal_text(*value.number());
    case PickleKind::text:
      return quoted(value.text());
    case PickleKind::dict:
      return "{" + std::to_string(value.size() / 2) + " members}";
    case PickleKind::tuple:
    case PickleKind::list:
      return std::to_string(value.size()) + " elements";
    case PickleKind::global:
      return printable(value.text());
    case PickleKind::object:
      return describe_object(value);
    case PickleKind::tensor:
      return describe(value.document().tensors[value.tensor()]);
    default:
      return std::string(name(value.kind()));
  }
}

}  // namespace goldentrace
