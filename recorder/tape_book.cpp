#include "recorder/tape_book.h"

namespace goldentrace {
namespace {

// Labels with a number of their own ("batch 17") never come again.
constexpr std::size_t most_entries = 4096;

}  // namespace

std::int64_t TapeBook::number_of(const Call& call, TraceWriter& writer) {
  if (last_.size() > most_entries) last_.clear();
  Entry& entry = last_[{call.facts.pass, call.facts.layer}];
  if (entry.number >= 0 && has_tape(call, entry.tape)) return entry.number;
  entry.tape = build_tape(call);
  entry.number = writer.add_tape(entry.tape);
  return entry.number;
}

}  // namespace goldentrace
