#include "diff/relation/arithmetic.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "traces/error.h"

namespace goldentrace {

namespace {

constexpr int deepest = 32;

class Evaluator {
 public:
  Evaluator(std::string_view text, const NameValue& value_of) : text_(text), rest_(text), value_of_(value_of) {}

  double run() {
    const double value = sum();
    if (!next().empty()) refuse("'" + std::string(1, next().front()) + "' is not expected there");
    if (!std::isfinite(value)) refuse("the result is not finite");
    return value;
  }

 private:
  std::string_view next() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return rest_;
  }

  bool take(char c) {
    if (!next().starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  double sum() {
    double value = product();
    while (true) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = factor();
    while (true) {
      if (take('*')) {
        value *= factor();
      } else if (take('/')) {
        const double divisor = factor();
        if (divisor == 0) refuse("division by zero");
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  double factor() {
    if (++depth_ > deepest) refuse("nested too deeply");
    const double value = take('-') ? -factor() : primary();
    --depth_;
    return value;
  }

  double primary() {
    if (take('(')) return closed(sum());
    const std::string_view rest = next();
    if (rest.empty()) refuse("a number or a name is missing at its end");
    const auto first = static_cast<unsigned char>(rest.front());
    if (std::isdigit(first) || first == '.') return number();
    if (std::isalpha(first) || first == '_') return named();
    refuse("'" + std::string(1, rest.front()) + "' is not expected there");
  }

  double closed(double value) {
    if (!take(')')) refuse("')' is missing");
    return value;
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) refuse("it holds no number that can be used");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  double named() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_')) {
      ++length;
    }
    const std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (take('(')) return call(name);
    const std::optional<double> value = value_of_(name);
    if (!value) refuse("'" + name + "' has no value");
    return *value;
  }

  double call(const std::string& name) {
    std::vector<double> values{sum()};
    while (take(',')) values.push_back(sum());
    closed(0);
    if (name == "max") return std::ranges::max(values);
    if (name == "min") return std::ranges::min(values);
    if (name == "sqrt" && values.size() == 1 && values[0] >= 0) return std::sqrt(values[0]);
    refuse("'" + name + "' is no function; use max, min or sqrt");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::usage, "in '" + std::string(text_) + "': " + what);
  }

  std::string_view text_;
  std::string_view rest_;
  const NameValue& value_of_;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view text, const NameValue& value_of) { return Evaluator(text, value_of).run(); }

std::set<std::string> names_in(std::string_view text) {
  std::set<std::string> names;
  // Values that keep every division and root defined, so that only the words are checked.
  const NameValue collect = [&names](std::string_view name) -> std::optional<double> {
    names.emplace(name);
    return 1.0 + static_cast<double>(names.size()) / 7;
  };
  evaluate(text, collect);
  return names;
}

}  // namespace goldentrace
