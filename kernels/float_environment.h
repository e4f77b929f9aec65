// Default rounding and subnormals for the current scope.
#pragma once

#include <cfenv>

namespace goldentrace {

// A program may have switched to flush-to-zero (at::globalContext().setFlushDenormal); what is recorded and compared
// must not depend on it.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace goldentrace
