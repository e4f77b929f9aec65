#include "tape/failure.h"

#include <c10/util/Exception.h>

namespace goldentrace {

std::string one_line(const std::exception& exception) {
  const auto* torch = dynamic_cast<const c10::Error*>(&exception);
  std::string text = torch ? torch->what_without_backtrace() : exception.what();
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace goldentrace
