#include "traces/error.h"

#include <algorithm>

#include "traces/printable.h"

namespace goldentrace {
namespace {

std::string one_line(const std::string& what, const ErrorPlace& place) {
  std::string text;
  for (const std::string& part : {place.file, place.record}) {
    if (!part.empty()) text += part + ": ";
  }
  text += what;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

}  // namespace

Error::Error(ErrorCode code, const std::string& what, ErrorPlace place)
    : std::runtime_error(one_line(what, place)), code_(code), place_(std::move(place)) {}

}  // namespace goldentrace
