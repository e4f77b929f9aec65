// The options of a model's configuration by name: one table serves setting, listing and describing.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/option_text.h"
#include "traces/error.h"

namespace goldentrace {

template <class Config>
struct ModelOption {
  std::string name;
  std::function<void(Config&, std::string_view value)> set;
  std::function<std::string(const Config&)> text;
};

template <class Config, class T>
ModelOption<Config> model_option(const std::string& name, T Config::*member) {
  return {name, [=](Config& config, std::string_view value) { parse(name, value, config.*member); },
          [=](const Config& config) { return to_text(config.*member); }};
}

template <class Config>
std::vector<std::string> names_of(const std::vector<ModelOption<Config>>& options) {
  std::vector<std::string> names;
  for (const auto& option : options) names.push_back(option.name);
  return names;
}

// Error(usage) names the known options, or the values that the option takes.
template <class Config>
void set_option(const std::vector<ModelOption<Config>>& options, Config& config, std::string_view name,
                std::string_view value) {
  const auto found = std::ranges::find(options, name, &ModelOption<Config>::name);
  if (found == options.end())
    throw Error(ErrorCode::usage, "unknown option " + std::string(name) + "; known: " + joined(names_of(options)));
  found->set(config, value);
}

template <class Config>
std::map<std::string, std::string> describe(const std::vector<ModelOption<Config>>& options, const Config& config) {
  std::map<std::string, std::string> texts;
  for (const auto& option : options) texts.emplace(option.name, option.text(config));
  return texts;
}

}  // namespace goldentrace
