// Whether a golden can be one of this run at all.
#pragma once

#include <cstdint>
#include <string>

#include "traces/record.h"

namespace goldentrace {

// Told of every record of the first step. Losses and op outputs do not count: they fit any run.
class GoldenFit {
 public:
  // `golden`: its record of the same id; null: it has none.
  void see(const Record& record, const Record* golden);
  // Why the golden is of another model or of other sizes; empty: it may be this run's.
  std::string misfit() const;

 private:
  std::int64_t seen_ = 0, found_ = 0;
  std::int64_t shaped_ = 0, alike_ = 0;  // inputs and outputs that were found, and those of the golden's shape
  std::string parameter_, activation_;   // the first of another shape
};

}  // namespace goldentrace
