// One sealed file: a whole trace, or one segment of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "traces/file_rest.h"
#include "traces/frame_reader.h"
#include "traces/header.h"
#include "traces/index_reader.h"
#include "traces/layer_call.h"
#include "traces/payload_reader.h"
#include "traces/record.h"
#include "traces/sealed_tables.h"
#include "traces/string_list.h"
#include "traces/trace_file.h"

namespace goldentrace {

// Rows are those of this file. After construction all const members may be called from several threads.
class TraceSegment {
 public:
  explicit TraceSegment(const std::filesystem::path& path,
                        TraceFile::Naming naming = TraceFile::Naming::as_trace);  // errors of TraceReader

  const TraceFile& file() const { return file_; }
  const Header& header() const { return header_; }
  std::int64_t first_row() const { return first_row_; }  // of the run; 0 for a whole trace
  std::int64_t row_count() const { return static_cast<std::int64_t>(rows_.size()); }
  const StringList& tapes() const { return tapes_; }
  const StringList& blobs() const { return blobs_; }

  // Producers count from this file's first row: those in earlier segments are negative. Each may be called once.
  std::vector<Record> take_records() { return std::move(records_); }
  std::vector<LayerCall> take_calls() { return std::move(calls_); }

  const format::IndexRow& row(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }
  // `record`: the one of that row. read_payload() leaves the content hash out.
  void read_payload(std::int64_t row, const Record& record, std::vector<std::byte>& bytes) const;
  std::vector<std::byte> payload(std::int64_t row, const Record& record) const;
  Sketch sketch(std::int64_t row, const Record& record) const;

  // Checks every hash; `records`: those of this file. Calls `done` with bytes, which sum up to verify_bytes().
  void verify(std::span<const Record> records, const std::function<void(std::uint64_t)>& done) const;
  std::uint64_t verify_bytes(std::span<const Record> records) const;

 private:
  IndexContext context() const;
  std::vector<ByteRange> covered() const;
  std::vector<std::int64_t> distinct_payloads() const;
  void check_rest() const;

  TraceFile file_;
  FrameReader frames_{file_};
  SealedTables tables_{frames_};
  Header header_;
  std::int64_t first_row_;
  std::vector<std::string> strings_ = StringList(frames_, tables_, format::strings_bytes, format::strings_ends).all();
  StringList tapes_{frames_, tables_, format::tapes_bytes, format::tapes_ends};
  StringList blobs_{frames_, tables_, format::blobs_bytes, format::blobs_ends};
  PayloadReader payloads_{frames_, tables_, strings_};
  std::vector<format::IndexRow> rows_ = tables_.load<format::IndexRow>(format::index);
  std::vector<Record> records_ = read_records(context(), rows_);
  std::vector<LayerCall> calls_ = read_calls(context());
};

}  // namespace goldentrace
