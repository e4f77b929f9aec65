// The one RecordFunction callback.
#pragma once

namespace goldentrace {

struct Session;

// Installs the callback and makes the session the active one. Error(usage) when another recording runs.
void start_observing(Session& session);
// Removes it, unless another session is the active one. No op may be running on another thread.
void stop_observing(const Session& session);

}  // namespace goldentrace
