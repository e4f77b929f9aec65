// The one exception type of goldentrace. The command line maps every Error to exit code 2 and prints what() as one
// line.
#pragma once

#include <stdexcept>
#include <string>

namespace goldentrace {

enum class ErrorCode {
  usage,                // wrong argument or option value
  not_found,            // file, layer, record or tape that is not there
  not_a_trace,          // another kind of file
  damaged,              // truncated, flipped bytes, impossible sizes
  version,              // format version that this build cannot read
  incomplete,           // an unlocked .partial: the recorder died
  still_being_written,  // a .partial whose recorder holds the lock
  input_output,         // the system refused a read or a write
  incomparable,         // nothing compared, different inputs, payload needed and absent
  unsupported,          // an op or argument that cannot be replayed
  internal,
};

// Where an error happened. Empty members are left out of the message.
struct ErrorPlace {
  std::string file;
  std::string record;
};

// Message: "<file>: <record>: <what happened>; <what to do>", one line without a full stop.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what, ErrorPlace place = {});

  ErrorCode code() const noexcept { return code_; }
  const ErrorPlace& place() const noexcept { return place_; }

 private:
  ErrorCode code_;
  ErrorPlace place_;
};

}  // namespace goldentrace
