#include "traces/journal_commit.h"

#include "traces/byte_stream.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

void encode_texts(const std::vector<std::string>& texts, ByteWriter& writer) {
  for (const std::string& text : texts) {
    writer.row(std::uint64_t{text.size()});
    writer.text(text);
  }
}

std::vector<std::string> decode_texts(std::uint64_t count, ByteReader& reader) {
  std::vector<std::string> texts;
  for (; count > 0; --count) texts.push_back(reader.text(reader.row<std::uint64_t>()));
  return texts;
}

void encode_call(const LayerCall& call, ByteWriter& writer) {
  format::CallEntry entry{.step = call.step, .micro = call.micro, .parent = call.parent, .tape = call.tape};
  entry.random = call.random;
  entry.rank = call.rank;
  entry.call = call.call;
  entry.layer_bytes = static_cast<std::uint32_t>(call.layer.size());
  entry.note_bytes = static_cast<std::uint32_t>(call.note.size());
  entry.pass = static_cast<std::uint8_t>(call.pass);
  entry.replayable = static_cast<std::uint8_t>(call.replayable);
  writer.row(entry);
  writer.text(call.layer);
  writer.text(call.note);
}

void check(const format::CallEntry& entry) {
  if (entry.pass > static_cast<std::uint8_t>(Pass::update)) throw Error(ErrorCode::version, "unknown pass");
  if (entry.replayable > static_cast<std::uint8_t>(Replayable::unsupported)) {
    throw Error(ErrorCode::version, "unknown self-check");
  }
}

LayerCall decode_call(ByteReader& reader) {
  const auto entry = reader.row<format::CallEntry>();
  check(entry);
  LayerCall call{.step = entry.step, .micro = entry.micro, .rank = entry.rank, .pass = static_cast<Pass>(entry.pass)};
  call.layer = reader.text(entry.layer_bytes);
  call.call = entry.call;
  call.parent = entry.parent;
  call.tape = entry.tape;
  call.random = entry.random;
  call.replayable = static_cast<Replayable>(entry.replayable);
  call.note = reader.text(entry.note_bytes);
  return call;
}

// `pass` says which kind it is.
void encode_change(const CallChange& change, ByteWriter& writer) {
  format::CallEntry entry{.row = change.row, .tape = change.tape};
  entry.note_bytes = static_cast<std::uint32_t>(change.note.size());
  entry.pass = static_cast<std::uint8_t>(change.kind);
  entry.replayable = static_cast<std::uint8_t>(change.replayable);
  writer.row(entry);
  writer.text(change.note);
}

CallChange decode_change(ByteReader& reader) {
  const auto entry = reader.row<format::CallEntry>();
  check(entry);
  if (entry.pass > static_cast<std::uint8_t>(CallChange::Kind::replayable)) {
    throw Error(ErrorCode::version, "unknown change of a call");
  }
  CallChange change{.row = entry.row, .kind = static_cast<CallChange::Kind>(entry.pass), .tape = entry.tape};
  change.replayable = static_cast<Replayable>(entry.replayable);
  change.note = reader.text(entry.note_bytes);
  return change;
}

}  // namespace

void encode_commit(const JournalCommit& commit, std::vector<std::byte>& out) {
  out.clear();
  ByteWriter writer(out);
  format::CommitHead head{.rows = static_cast<std::uint64_t>(commit.rows), .tapes = commit.tapes.size()};
  head.blobs = commit.blobs.size();
  head.calls = commit.calls.size();
  head.changes = commit.changes.size();
  head.header_bytes = commit.header.size();
  head.steps = commit.steps;
  writer.row(head);
  encode_texts(commit.tapes, writer);
  encode_texts(commit.blobs, writer);
  for (const LayerCall& call : commit.calls) encode_call(call, writer);
  for (const CallChange& change : commit.changes) encode_change(change, writer);
  writer.text(commit.header);
}

JournalCommit decode_commit(std::span<const std::byte> body) {
  ByteReader reader(body);
  const auto head = reader.row<format::CommitHead>();
  JournalCommit commit{.rows = static_cast<std::int64_t>(head.rows), .steps = head.steps};
  commit.tapes = decode_texts(head.tapes, reader);
  commit.blobs = decode_texts(head.blobs, reader);
  for (std::uint64_t i = 0; i < head.calls; ++i) commit.calls.push_back(decode_call(reader));
  for (std::uint64_t i = 0; i < head.changes; ++i) commit.changes.push_back(decode_change(reader));
  commit.header = reader.text(head.header_bytes);
  if (!reader.at_end()) throw Error(ErrorCode::damaged, "a commit entry is longer than what it holds");
  return commit;
}

format::CommitHead commit_head(std::span<const std::byte> body) { return ByteReader(body).row<format::CommitHead>(); }

}  // namespace goldentrace
