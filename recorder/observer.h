// The RecordFunction callbacks: one for labels, one for ops and nodes.
#pragma once

namespace goldentrace {

struct Session;

enum class Sight {
  labels,      // ops run as if nobody looked
  everything,  // ops and nodes of backwards as well
};

// Installs the callbacks, for everything, and makes the session the active one. Error(usage) when another recording
// runs.
void start_observing(Session& session);
// From the next op on, on all threads. Nothing unless a session observes.
void set_sight(Sight sight);
// Removes them, unless another session is the active one. No op may be running on another thread.
void stop_observing(const Session& session);

}  // namespace goldentrace
