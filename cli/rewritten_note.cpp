#include "cli/rewritten_note.h"

#include <iostream>

#include "traces/printable.h"

namespace goldentrace {

void note_if_rewritten(const TraceReader& trace, const OutputOptions& options) {
  if (!trace.being_rewritten() || options.quiet) return;
  std::cerr << "gtrace: note: " << printable(trace.path().string())
            << " is being recorded again; this is the old file\n";
}

}  // namespace goldentrace
