#include "traces/index_reader.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "traces/error.h"

namespace goldentrace {
namespace {

// One row of a table, for checks and their messages.
class RowCheck {
 public:
  RowCheck(const IndexContext& context, const char* table, std::uint64_t first_row = 0)
      : context_(context), table_(table), row_(first_row) {}

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
  std::uint64_t row_;
  std::uint64_t copied_ = 0;
};

// What every row may refer to.
struct RecordTables {
  explicit RecordTables(const IndexContext& context)
      : shapes(context.tables.load<std::int64_t>(format::shapes)),
        producers(context.tables.load<std::int64_t>(format::producers)) {
    for (std::string_view name : {format::sketches_float32, format::sketches_float64}) {
      sketch_elements.push_back(context.tables.run(name).bytes / context.tables.run(name).item_bytes);
    }
  }

  std::vector<std::int64_t> shapes;
  std::vector<std::int64_t> producers;
  std::vector<std::uint64_t> sketch_elements;
};

// Reads consecutive rows from `first_row` on, whose producers begin at `first_producer`.
class RecordReader {
 public:
  RecordReader(const IndexContext& context, const RecordTables& tables, std::uint64_t first_row,
               std::uint64_t first_producer)
      : context_(context),
        check_(context, "/index row ", first_row),
        shapes_(tables.shapes),
        producers_(tables.producers),
        sketch_elements_(tables.sketch_elements),
        used_producers_(first_producer),
        rows_(static_cast<std::int64_t>(first_row)) {}

  std::uint64_t used_producers() const { return used_producers_; }

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
  const std::vector<std::int64_t>& shapes_;
  const std::vector<std::int64_t>& producers_;
  const std::vector<std::uint64_t>& sketch_elements_;
  std::uint64_t used_producers_;
  std::int64_t rows_;
};

// `number` is -1 or below `count`.
bool is_number(std::int64_t number, std::uint64_t count) {
  return number == -1 || (number >= 0 && static_cast<std::uint64_t>(number) < count);
}

}  // namespace

namespace {

// Rows for which a thread of its own is worth its start.
constexpr std::size_t rows_of_a_thread = 20000;

struct RowRange {
  std::size_t first = 0;
  std::size_t end = 0;
  std::exception_ptr failure;
};

std::vector<RowRange> ranges_of(std::size_t rows) {
  const std::size_t threads = std::clamp<std::size_t>(rows / rows_of_a_thread, 1, std::thread::hardware_concurrency());
  std::vector<RowRange> ranges(std::max<std::size_t>(1, threads));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].first = rows * i / ranges.size();
    ranges[i].end = rows * (i + 1) / ranges.size();
  }
  return ranges;
}

// A range believes its first row where its producers begin; the range before checks that.
void read_range(const IndexContext& context, const RecordTables& tables, const std::vector<format::IndexRow>& rows,
                RowRange& range, std::vector<Record>& records) {
  try {
    const std::uint64_t producers = range.first == 0 ? 0 : rows[range.first].producers;
    RecordReader reader(context, tables, range.first, std::min<std::uint64_t>(producers, tables.producers.size()));
    for (std::size_t row = range.first; row < range.end; ++row) records[row] = reader.next(rows[row]);
    if (range.end < rows.size() && rows[range.end].producers != reader.used_producers()) {
      throw Error(ErrorCode::damaged, "damaged: its producers are not there",
                  {.file = context.frames.file().path().string(), .record = "/index row " + std::to_string(range.end)});
    }
  } catch (...) {
    range.failure = std::current_exception();
  }
}

}  // namespace

std::vector<Record> read_records(const IndexContext& context, const std::vector<format::IndexRow>& rows) {
  const RecordTables tables(context);
  std::vector<Record> records(rows.size());
  std::vector<RowRange> ranges = ranges_of(rows.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    threads.emplace_back([&, i] { read_range(context, tables, rows, ranges[i], records); });
  }
  read_range(context, tables, rows, ranges[0], records);
  for (std::thread& thread : threads) thread.join();
  for (const RowRange& range : ranges) {
    if (range.failure) std::rethrow_exception(range.failure);
  }
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
