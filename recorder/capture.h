// Words of the recorder: what is kept of a step, and what happens when memory for it runs out.
#pragma once

#include <string_view>

namespace goldentrace {

enum class Capture {
  full,    // fingerprint and payload of every record
  sketch,  // fingerprints
  check,   // fingerprints, and the payload of records whose hash differs from the golden's or that it does not have
  off,     // the step is not recorded
};

// When the pool of buffers is full.
enum class WhenFull {
  block,   // the model waits for room
  sketch,  // the payload of the record is dropped: Record::dropped, and counted in the header
};

std::string_view name(Capture capture);           // "full"
Capture parse_capture(std::string_view name);     // Error(usage) naming the four
std::string_view name(WhenFull when_full);        // "block"
WhenFull parse_when_full(std::string_view name);  // Error(usage) naming the two

}  // namespace goldentrace
