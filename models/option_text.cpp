#include "models/option_text.h"

#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "models/loss_value.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

template <class T>
using Name = std::pair<std::string_view, T>;

constexpr std::array<Name<Activation>, 5> activations{{{"gelu_new", Activation::gelu_new},
                                                       {"gelu_fast", Activation::gelu_fast},
                                                       {"gelu", Activation::gelu},
                                                       {"gelu_pytorch_tanh", Activation::gelu_pytorch_tanh},
                                                       {"quick_gelu", Activation::quick_gelu}}};
constexpr std::array<Name<ScoreRule>, 2> score_rules{
    {{"multiply", ScoreRule::multiply}, {"divide", ScoreRule::divide}}};
constexpr std::array<Name<MaskRule>, 4> mask_rules{{{"causal", MaskRule::causal},
                                                    {"none", MaskRule::none},
                                                    {"inverted", MaskRule::inverted},
                                                    {"shifted", MaskRule::shifted}}};
constexpr std::array<Name<bool>, 2> truth_values{{{"true", true}, {"false", false}}};

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& takes) {
  throw Error(ErrorCode::usage,
              std::string(option) + " takes " + takes + ", not \"" + std::string(text.substr(0, 200)) + "\"");
}

template <class T>
std::string name_of(std::span<const Name<T>> names, T value) {
  for (const auto& [text, known] : names)
    if (known == value) return std::string(text);
  throw Error(ErrorCode::internal, "an option value without a name");
}

template <class T>
T value_of(std::span<const Name<T>> names, std::string_view option, std::string_view text) {
  std::string known_names;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    known_names += (known_names.empty() ? "" : ", ") + std::string(name);
  }
  refuse(option, text, known_names);
}

template <class T>
T number_of(std::string_view option, std::string_view text, const std::string& takes) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) refuse(option, text, takes);
  return value;
}

}  // namespace

std::string to_text(std::int64_t value) { return std::to_string(value); }
std::string to_text(double value) { return shortest(value); }
std::string to_text(bool value) { return name_of<bool>(truth_values, value); }
std::string to_text(Activation value) { return name_of<Activation>(activations, value); }
std::string to_text(ScoreRule value) { return name_of<ScoreRule>(score_rules, value); }
std::string to_text(MaskRule value) { return name_of<MaskRule>(mask_rules, value); }

void parse(std::string_view option, std::string_view text, std::int64_t& value) {
  value = number_of<std::int64_t>(option, text, "a whole number");
}
void parse(std::string_view option, std::string_view text, double& value) {
  value = number_of<double>(option, text, "a number");
}
void parse(std::string_view option, std::string_view text, bool& value) {
  value = value_of<bool>(truth_values, option, text);
}
void parse(std::string_view option, std::string_view text, Activation& value) {
  value = value_of<Activation>(activations, option, text);
}
void parse(std::string_view option, std::string_view text, ScoreRule& value) {
  value = value_of<ScoreRule>(score_rules, option, text);
}
void parse(std::string_view option, std::string_view text, MaskRule& value) {
  value = value_of<MaskRule>(mask_rules, option, text);
}

}  // namespace goldentrace
