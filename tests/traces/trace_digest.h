// Everything that a reader says about a trace, as one hash: a damaged trace must give an error or the same digest.
#pragma once

#include <string>

#include "traces/content_hasher.h"
#include "traces/trace_reader.h"

namespace goldentrace::testing_support {

class TraceDigest {
 public:
  void text(const std::string& value) {
    hasher_.append(std::as_bytes(std::span(value)));
    number(value.size());
  }
  template <typename Number>
  void number(Number value) {
    hasher_.append(std::as_bytes(std::span(&value, 1)));
  }
  void record(const TraceReader& reader, std::int64_t row) {
    const Record& record = reader.records()[static_cast<std::size_t>(row)];
    text(to_string(record.id));
    for (auto size : record.shape) number(size);
    for (auto producer : record.producers) number(producer);
    number(record.dtype);
    number(record.fingerprint.hash);
    number(record.fingerprint.statistics);
    for (double value : reader.sketch(row)) number(value);
    number(reader.has_payload(row));
    if (reader.has_payload(row)) hasher_.append(reader.payload(row));
  }
  void call(const LayerCall& call) {
    text(call.layer);
    text(call.note);
    for (auto value : {call.step, call.micro, call.parent, call.tape, call.random}) number(value);
  }
  Hash128 finish() { return hasher_.finish(); }

 private:
  ContentHasher hasher_;
};

inline Hash128 digest_of(const TraceReader& reader) {
  TraceDigest digest;
  for (const auto& [name, value] : reader.header()) {
    digest.text(name);
    digest.text(value);
  }
  for (std::size_t row = 0; row < reader.records().size(); ++row) digest.record(reader, static_cast<std::int64_t>(row));
  for (const LayerCall& call : reader.calls()) {
    digest.call(call);
    if (call.random >= 0) {
      for (std::byte each : reader.blob(call.random)) digest.number(each);
    }
  }
  for (std::int64_t tape = 0; tape < reader.tape_count(); ++tape) digest.text(to_text(reader.tape(tape)));
  return digest.finish();
}

}  // namespace goldentrace::testing_support
