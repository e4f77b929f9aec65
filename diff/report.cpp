#include "diff/report.h"

#include <array>

namespace goldentrace {

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names = {"same", "diverged", "incomparable"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::string_view name(Origin origin) {
  constexpr std::array<std::string_view, 5> names = {"introduced", "glue", "weight", "random", "inherited"};
  return names.at(static_cast<std::size_t>(origin));
}

int exit_code(const Report& report) {
  switch (report.verdict) {
    case Verdict::same:
      return 0;
    case Verdict::diverged:
      return 1;
    case Verdict::incomparable:
      return 2;
  }
  return 2;
}

}  // namespace goldentrace
