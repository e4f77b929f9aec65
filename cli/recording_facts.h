// How a trace was recorded, from its header: what was kept, what was dropped, how it ended.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/header.h"

namespace goldentrace {

// "full, codec standard, when full block; 2 payloads dropped; waited 7 times for memory; ended: SIGINT". Empty for a
// header that says nothing of it.
std::string recording_text(const Header& header);

// Only what is out of the ordinary: "2 payloads dropped; 35 records differ from golden.h5"; empty when nothing is.
std::string recording_remarks(const Header& header);

// "level", "codec", "when_full", "waits", "dropped_payloads", "ended", "level_changes", "golden", "differences"; null
// where the header does not say.
nlohmann::ordered_json recording_json(const Header& header);

}  // namespace goldentrace
