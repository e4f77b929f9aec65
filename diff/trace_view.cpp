#include "diff/trace_view.h"

#include "traces/trace_reader.h"

namespace goldentrace {

TraceView view(const TraceReader& reader) {
  TraceView trace;
  trace.path = reader.path();
  trace.header = &reader.header();
  trace.records = reader.records();
  trace.calls = reader.calls();
  trace.has_payload = [&reader](std::int64_t row) { return reader.has_payload(row); };
  trace.sketch = [&reader](std::int64_t row) { return reader.sketch(row); };
  trace.read_payload = [&reader](std::int64_t row, std::vector<std::byte>& bytes) { reader.read_payload(row, bytes); };
  trace.tape = [&reader](std::int64_t tape) { return reader.tape(tape); };
  trace.blob = [&reader](std::int64_t blob) { return reader.blob(blob); };
  return trace;
}

}  // namespace goldentrace
