// Tapes that were written, by layer: the next call of a layer mostly has the same one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "recorder/call.h"
#include "traces/trace_writer.h"

namespace goldentrace {

class TapeBook {
 public:
  // The number of the call's tape, written if it is a new one.
  std::int64_t number_of(const Call& call, TraceWriter& writer);

 private:
  struct Entry {
    Tape tape;
    std::int64_t number = -1;
  };
  std::map<std::pair<Pass, std::string>, Entry> last_;
};

}  // namespace goldentrace
