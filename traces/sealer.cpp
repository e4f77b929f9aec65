#include "traces/sealer.h"

#include <map>
#include <string>
#include <vector>

#include "traces/error.h"
#include "traces/format_fields.h"
#include "traces/hdf5_types.h"
#include "traces/header_text.h"
#include "traces/partial_file.h"
#include "traces/payload_store.h"
#include "traces/seal_writer.h"
#include "traces/sketch_store.h"
#include "traces/string_table.h"

namespace goldentrace {
namespace {

// Tables and texts are compressed like this, whatever is asked for payloads.
constexpr Codec table_codec = Codec::standard;
// A journal becomes a trace itself when no more than this part of it stays behind as bytes that belong to nothing.
constexpr std::uint64_t most_dead_part = 16;

// Makes the streams of one file.
struct StreamMaker {
  Hdf5File* file;
  FrameEncoder* encoder;

  ChunkedStream numbers(std::string_view path, DType dtype) const {
    const Hdf5Guard guard;
    return make(path, element_type(dtype), item_size(dtype));
  }
  ChunkedStream rows(std::string_view path, std::span<const format::Field> fields, std::size_t row_bytes) const {
    const Hdf5Guard guard;
    return make(path, row_type(fields, row_bytes), row_bytes);
  }
  StringTable strings(std::string_view bytes, std::string_view ends) const {
    return {numbers(bytes, DType::uint8), numbers(ends, DType::uint64)};
  }
  ChunkedStream make(std::string_view path, Hdf5Handle type, std::size_t row_bytes) const {
    return {{file, encoder, std::string(path), settings_of(table_codec).level},
            std::move(type),
            row_bytes,
            format::Codec::shuffled_zstd};
  }
};

class Sealer {
 public:
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

  // `begin`: behind the journal's entries, when the file is the journal itself.
  Sealer(JournalReader& journal, const JournalMap& map, LockedFile& file, std::uint64_t begin)
      : journal_(journal), map_(map), hdf5_(file, begin), frames_(begin > 0 ? Frames::in_place : Frames::copied) {}

  void add_steps(const Progress& progress);
  SealWriter finish();  // all but the first block is written then

 private:
  void add_commit(std::uint64_t address);
  void add_record(std::uint64_t address);
  PayloadLocation location(const JournalRecord& record);
  format::IndexRow index_row(const JournalRecord& record);
  void add_call(const LayerCall& call);
  void change_call(const CallChange& change);
  std::uint32_t string(std::string_view text) { return static_cast<std::uint32_t>(strings_.add(text)); }
  std::uint32_t shape(const Shape& shape);
  SealWriter write_tables();

  JournalReader& journal_;
  const JournalMap& map_;
  Hdf5File hdf5_;
  Frames frames_;
  Codec codec_ = static_cast<Codec>(map_.head.codec);
  FrameEncoder encoder_{table_codec};
  FrameEncoder payload_encoder_{codec_};
  StreamMaker maker_{&hdf5_, &encoder_};
  StringTable strings_ = maker_.strings(format::strings_bytes, format::strings_ends);
  StringTable tapes_ = maker_.strings(format::tapes_bytes, format::tapes_ends);
  StringTable blobs_ = maker_.strings(format::blobs_bytes, format::blobs_ends);
  ChunkedStream shapes_ = maker_.numbers(format::shapes, DType::int64);
  ChunkedStream index_ = maker_.rows(format::index, format::index_fields, sizeof(format::IndexRow));
  ChunkedStream producers_ = maker_.numbers(format::producers, DType::int64);
  SketchStore sketches_{maker_.numbers(format::sketches_float32, DType::float32),
                        maker_.numbers(format::sketches_float64, DType::float64)};
  PayloadStore payloads_{hdf5_, payload_encoder_, codec_, frames_};
  std::vector<PayloadLocation> locations_ = std::vector<PayloadLocation>(map_.contents.size());  // by content
  std::vector<bool> is_stored_ = std::vector<bool>(map_.contents.size());
  std::map<Shape, std::uint32_t> shape_numbers_;
  std::vector<format::CallRow> calls_;
  std::string header_;
};

void Sealer::add_commit(std::uint64_t address) {
  JournalCommit commit = journal_.commit(address);
  for (const std::string& tape : commit.tapes) tapes_.add(tape);
  for (const std::string& blob : commit.blobs) blobs_.add(blob);
  for (const LayerCall& call : commit.calls) add_call(call);
  for (const CallChange& change : commit.changes) change_call(change);
  header_ = std::move(commit.header);
}

void Sealer::add_call(const LayerCall& call) {
  format::CallRow row{.step = call.step, .micro = call.micro, .parent = call.parent, .tape = call.tape};
  row.random = call.random;
  row.rank = call.rank;
  row.layer = string(call.layer);
  row.call = call.call;
  row.note = string(call.note);
  row.pass = static_cast<std::uint8_t>(call.pass);
  row.replayable = static_cast<std::uint8_t>(call.replayable);
  calls_.push_back(row);
}

void Sealer::change_call(const CallChange& change) {
  if (change.row < 0 || static_cast<std::size_t>(change.row) >= calls_.size()) {
    throw Error(ErrorCode::damaged, "damaged: a call that is not there is changed", {.file = journal_.path().string()});
  }
  format::CallRow& row = calls_[static_cast<std::size_t>(change.row)];
  if (change.kind == CallChange::Kind::tape) {
    row.tape = change.tape;
  } else {
    row.replayable = static_cast<std::uint8_t>(change.replayable);
    row.note = string(change.note);
  }
}

std::uint32_t Sealer::shape(const Shape& shape) {
  const auto [found, is_new] = shape_numbers_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.rows()));
  if (is_new) shapes_.append(std::as_bytes(std::span(shape)));
  return found->second;
}

PayloadLocation Sealer::location(const JournalRecord& record) {
  if (record.content == format::content_none) return {};
  if (record.content == format::content_empty) return {.dataset = format::empty, .row = 0};
  const auto number = static_cast<std::size_t>(record.content);
  if (!is_stored_.at(number)) {
    const JournalContent content = journal_.content(map_.contents[number]);
    if (content.hash != record.record.fingerprint.hash || content.dtype != record.record.dtype) {
      throw Error(ErrorCode::damaged, "damaged: a record and its payload do not fit",
                  {.file = journal_.path().string(), .record = to_string(record.record.id)});
    }
    locations_[number] = payloads_.store(record.record.id, content, journal_);
    is_stored_[number] = true;
  }
  return locations_[number];
}

format::IndexRow Sealer::index_row(const JournalRecord& entry) {
  const Record& record = entry.record;
  // The sketch first: it lies in the window of the journal that reading the payload moves.
  const SketchLocation sketch = sketches_.store(entry);
  const PayloadLocation payload = location(entry);
  const Statistics& statistics = record.fingerprint.statistics;
  format::IndexRow row{.step = record.id.step, .micro = record.id.micro, .rank = record.id.rank};
  row.layer = string(record.id.layer);
  row.call = record.id.call;
  row.index = string(record.id.index);
  row.position = record.position;
  row.pass = static_cast<std::uint8_t>(record.id.pass);
  row.role = static_cast<std::uint8_t>(record.id.role);
  row.dtype = static_cast<std::uint8_t>(record.dtype);
  row.flags = static_cast<std::uint8_t>((record.external ? format::flag_external : 0) |
                                        (record.declared ? format::flag_declared : 0) |
                                        (record.dropped ? format::flag_dropped : 0));
  row.shape = shape(record.shape);
  row.dimensions = static_cast<std::uint32_t>(record.shape.size());
  row.producers = producers_.rows();
  row.producer_count = static_cast<std::uint32_t>(record.producers.size());
  row.dataset = payload.dataset;
  row.row = payload.row;
  row.sketch = sketch.first;
  row.sketch_count = sketch.count;
  row.sketch_table = static_cast<std::uint32_t>(sketch.table);
  row.low = record.fingerprint.hash.low;
  row.high = record.fingerprint.hash.high;
  row.min = statistics.min;
  row.max = statistics.max;
  row.mean = statistics.mean;
  row.l2 = statistics.l2;
  row.nan_count = statistics.nan_count;
  row.inf_count = statistics.inf_count;
  row.zero_count = statistics.zero_count;
  return row;
}

void Sealer::add_record(std::uint64_t address) {
  JournalRecord entry = journal_.record(address);
  const format::IndexRow row = index_row(entry);
  for (std::int64_t& producer : entry.record.producers) {
    producer -= static_cast<std::int64_t>(map_.head.first_row);
    if (producer < static_cast<std::int64_t>(index_.rows())) continue;
    throw Error(ErrorCode::damaged, "damaged: a producer is no earlier record",
                {.file = journal_.path().string(), .record = to_string(entry.record.id)});
  }
  producers_.append(std::as_bytes(std::span(entry.record.producers)));
  index_.append(std::as_bytes(std::span(&row, 1)));
}

void Sealer::add_steps(const Progress& progress) {
  std::uint64_t row = 0;
  for (std::uint64_t address : map_.commits) {
    const auto rows = static_cast<std::uint64_t>(journal_.commit(address).rows) - map_.head.first_row;
    for (; row < rows; ++row) {
      add_record(map_.records[row]);
      if (progress) progress(row, map_.rows);
    }
    add_commit(address);
  }
}

SealWriter Sealer::finish() {
  payloads_.finish();
  return write_tables();
}

SealWriter Sealer::write_tables() {
  const PayloadStore::Numbers numbers{.of_path = [this](const std::string& path) { return string(path); },
                                      .of_shape = [this](const Shape& each) { return shape(each); }};
  const std::vector<format::DatasetRow> dataset_rows = payloads_.dataset_rows(numbers);
  const std::vector<format::ChunkRow> chunk_rows = payloads_.chunk_rows();
  ChunkedStream datasets = maker_.rows(format::datasets, format::dataset_fields, sizeof(format::DatasetRow));
  ChunkedStream chunks = maker_.rows(format::chunks, format::chunk_fields, sizeof(format::ChunkRow));
  ChunkedStream call_rows = maker_.rows(format::calls, format::call_fields, sizeof(format::CallRow));
  datasets.append(std::as_bytes(std::span(dataset_rows)));
  chunks.append(std::as_bytes(std::span(chunk_rows)));
  call_rows.append(std::as_bytes(std::span(calls_)));
  for (StringTable* table : {&strings_, &tapes_, &blobs_}) table->finish();
  for (ChunkedStream* stream : {&shapes_, &index_, &producers_, &datasets, &chunks, &call_rows}) stream->finish();
  sketches_.finish();

  SealWriter seal;
  seal.add_header(hdf5_, header_);
  for (const StringTable* table : {&strings_, &tapes_, &blobs_}) {
    seal.add(table->bytes());
    seal.add(table->ends());
  }
  for (const ChunkedStream* stream : {&shapes_, &index_, &producers_, &datasets, &chunks, &call_rows}) {
    seal.add(*stream);
  }
  seal.add(sketches_.float32());
  seal.add(sketches_.float64());
  seal.add_payload(chunk_rows);
  seal.write_seal(hdf5_);
  hdf5_.set_text("/", "format", format::name);
  hdf5_.set_number("/", "version", format::version);
  hdf5_.close();
  return seal;
}

SealWriter write_all(JournalReader& journal, const JournalMap& map, LockedFile& file, std::uint64_t begin,
                     const Sealer::Progress& progress) {
  Sealer sealer(journal, map, file, begin);
  sealer.add_steps(progress);
  return sealer.finish();
}

}  // namespace

void seal(JournalReader& journal, const JournalMap& map, const std::filesystem::path& target,
          const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  if (map.head.codec > static_cast<std::uint32_t>(Codec::none)) {
    throw Error(ErrorCode::version, "a codec that this build does not know", {.file = journal.path().string()});
  }
  PartialFile file(target);
  write_all(journal, map, file, 0, progress).write_first_block(file);
  file.publish();
}

bool can_seal_in_place(const JournalWriter& writer) {
  const std::uint64_t all = writer.map().end;
  const std::uint64_t dead = all - writer.committed_frame_bytes();
  return dead < all / most_dead_part;
}

void seal_in_place(JournalWriter& writer, const std::filesystem::path& target) {
  LockedFile& file = writer.file();
  try {
    JournalReader journal(writer.path());
    SealWriter seal = write_all(journal, writer.map(), file, writer.begin_seal(), {});
    if (!file.sync()) file.check();
    seal.write_first_block(file);
  } catch (...) {
    writer.undo_seal();
    throw;
  }
  file.publish(target);
}

}  // namespace goldentrace
