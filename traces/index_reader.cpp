#include "traces/index_reader.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {
namespace {

// One row of a table, for checks and their messages.
class RowCheck {
 public:
  RowCheck(const IndexContext& context, const char* table) : context_(context), table_(table) {}

  void next() { ++row_; }

  void require(bool condition, const char* what, ErrorCode code = ErrorCode::damaged) const {
    if (condition) return;
    throw Error(code, (code == ErrorCode::damaged ? "damaged: " : "") + std::string(what),
                {.file = context_.frames.file().path().string(), .record = table_ + std::to_string(row_)});
  }

  // A few long names named by many rows must not fill the memory.
  const std::string& text(std::uint32_t number) {
    require(number < context_.strings.size(), "names a text that is not there");
    copied_ += context_.strings[number].size();
    require(copied_ <= format::free_bytes + format::most_table_ratio * context_.frames.file().size(),
            "the names are too long");
    return context_.strings[number];
  }

  Pass pass(std::uint8_t value) const {
    require(value <= static_cast<std::uint8_t>(Pass::update), "unknown pass", ErrorCode::version);
    return static_cast<Pass>(value);
  }

 private:
  const IndexContext& context_;
  std::string table_;
  std::uint64_t row_ = 0;
  std::uint64_t copied_ = 0;
};

class RecordReader {
 public:
  explicit RecordReader(const IndexContext& context)
      : context_(context),
        check_(context, "/index row "),
        shapes_(context.tables.load<std::int64_t>(format::shapes)),
        producers_(context.tables.load<std::int64_t>(format::producers)) {
    for (std::string_view name : {format::sketches_float32, format::sketches_float64}) {
      sketch_elements_.push_back(context.tables.run(name).bytes / context.tables.run(name).item_bytes);
    }
  }

  Record next(const format::IndexRow& row) {
    Record record{.id = {.step = row.step, .micro = row.micro, .rank = row.rank, .pass = check_.pass(row.pass)}};
    check_.require(row.role <= static_cast<std::uint8_t>(Role::op_output), "unknown role", ErrorCode::version);
    check_.require(is_valid_dtype(row.dtype), "unknown dtype", ErrorCode::version);
    record.id.layer = check_.text(row.layer);
    record.id.call = row.call;
    record.id.role = static_cast<Role>(row.role);
    record.id.index = check_.text(row.index);
    record.position = row.position;
    record.dtype = static_cast<DType>(row.dtype);
    record.shape = shape(row);
    record.producers = producers(row);
    record.external = (row.flags & format::flag_external) != 0;
    record.declared = (row.flags & format::flag_declared) != 0;
    record.dropped = (row.flags & format::flag_dropped) != 0;
    record.fingerprint = fingerprint(row);
    const auto bytes = static_cast<std::uint64_t>(byte_count(record.shape, record.dtype));
    context_.payloads.check_location(row, bytes);
    check_sketch(row, bytes);
    check_.next();
    ++rows_;
    return record;
  }

 private:
  Shape shape(const format::IndexRow& row) const {
    check_.require(row.shape <= shapes_.size() && row.dimensions <= shapes_.size() - row.shape &&
                       row.dimensions <= format::most_dimensions,
                   "its shape is not there");
    const auto first = shapes_.begin() + row.shape;
    return {first, first + row.dimensions};
  }

  // Lists of producers lie one behind the other.
  std::vector<std::int64_t> producers(const format::IndexRow& row) {
    check_.require(row.producers == used_producers_ && row.producer_count <= producers_.size() - used_producers_,
                   "its producers are not there");
    const auto first = producers_.begin() + static_cast<std::ptrdiff_t>(used_producers_);
    used_producers_ += row.producer_count;
    const std::vector<std::int64_t> list(first, first + row.producer_count);
    for (std::int64_t producer : list)
      check_.require(producer >= -context_.first_row && producer < rows_, "a producer is no earlier row");
    return list;
  }

  static Fingerprint fingerprint(const format::IndexRow& row) {
    Fingerprint print{.hash = {row.low, row.high}, .statistics = {}, .sketch = {}};
    print.statistics = {.min = row.min, .max = row.max, .mean = row.mean, .l2 = row.l2};
    print.statistics.nan_count = row.nan_count;
    print.statistics.inf_count = row.inf_count;
    print.statistics.zero_count = row.zero_count;
    return print;
  }

  void check_sketch(const format::IndexRow& row, std::uint64_t bytes) const {
    const auto table = static_cast<format::SketchTable>(row.sketch_table);
    if (table == format::SketchTable::none) return check_.require(row.sketch_count == 0, "a sketch without a table");
    if (table == format::SketchTable::payload) {
      return check_.require(row.dataset < format::empty && row.sketch_count <= bytes, "its sketch is not there");
    }
    check_.require(row.sketch_table <= sketch_elements_.size(), "unknown sketch table", ErrorCode::version);
    const std::uint64_t elements = sketch_elements_[row.sketch_table - 1];
    check_.require(row.sketch <= elements && row.sketch_count <= elements - row.sketch, "its sketch is not there");
  }

  const IndexContext& context_;
  RowCheck check_;
  std::vector<std::int64_t> shapes_;
  std::vector<std::int64_t> producers_;
  std::vector<std::uint64_t> sketch_elements_;
  std::uint64_t used_producers_ = 0;
  std::int64_t rows_ = 0;
};

// `number` is -1 or below `count`.
bool is_number(std::int64_t number, std::uint64_t count) {
  return number == -1 || (number >= 0 && static_cast<std::uint64_t>(number) < count);
}

}  // namespace

std::vector<Record> read_records(const IndexContext& context, const std::vector<format::IndexRow>& rows) {
  RecordReader reader(context);
  std::vector<Record> records;
  records.reserve(rows.size());
  for (const format::IndexRow& row : rows) records.push_back(reader.next(row));
  return records;
}

std::vector<LayerCall> read_calls(const IndexContext& context) {
  RowCheck check(context, "/calls row ");
  const auto rows = context.tables.load<format::CallRow>(format::calls);
  std::vector<LayerCall> calls;
  calls.reserve(rows.size());
  for (const format::CallRow& row : rows) {
    LayerCall call{.step = row.step, .micro = row.micro, .rank = row.rank, .pass = check.pass(row.pass)};
    check.require(row.replayable <= static_cast<std::uint8_t>(Replayable::unsupported), "unknown self-check",
                  ErrorCode::version);
    check.require(is_number(row.parent, rows.size()), "its parent is not there");
    check.require(is_number(row.tape, context.tape_count), "its tape is not there");
    check.require(is_number(row.random, context.blob_count), "its random state is not there");
    call.layer = check.text(row.layer);
    call.call = row.call;
    call.parent = row.parent;
    call.tape = row.tape;
    call.random = row.random;
    call.replayable = static_cast<Replayable>(row.replayable);
    call.note = check.text(row.note);
    calls.push_back(std::move(call));
    check.next();
  }
  return calls;
}

}  // namespace goldentrace
