#include "cli/help_format.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace goldentrace {
namespace {

constexpr std::size_t description_column = 40;

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.empty() || option->get_items_expected_max() == 0 ? "" : " " + type;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = option->get_description(), standard = option->get_default_str();
    const bool worth_saying = option->get_items_expected_max() > 0 && !standard.empty() && standard != "[]" &&
                              standard != "\"\"" && standard != "-1";
    return worth_saying ? text + " (default: " + standard + ")" : text;
  }
};

}  // namespace

void use_help_format(CLI::App& app) {
  const auto format = std::make_shared<HelpFormat>();
  format->column_width(description_column);
  app.formatter(format);
  app.option_defaults()->always_capture_default();
}

}  // namespace goldentrace
