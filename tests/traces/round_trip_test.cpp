#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/support/file_damage.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"
#include "tests/traces/trace_digest.h"
#include "traces/error.h"
#include "traces/trace_reader.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::Optional;

class RoundTrip : public testing::TestWithParam<Codec> {
 protected:
  std::filesystem::path file() const { return folder_ / "run.h5"; }
  WriterOptions options() const { return {.codec = GetParam()}; }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Codecs, RoundTrip, testing::Values(Codec::standard, Codec::fast, Codec::small, Codec::none),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(RoundTrip, KeepsEveryDtypeAndShape) {
  const std::vector<Shape> shapes{{}, {1}, {0}, {3, 0, 2}, {2, 3}, {5, 14000}, {2, 3, 430, 500}, {1, 1200001}};
  std::vector<Bytes> written;
  {
    TraceWriter writer(file(), options());
    for (int i = 0; i < dtype_count; ++i) {
      for (const Shape& shape : shapes) {
        const auto dtype = static_cast<DType>(i);
        const auto bytes = static_cast<std::size_t>(byte_count(shape, dtype));
        written.push_back(random_bytes(written.size(), bytes));
        add_record(writer, output_of(std::string(name(dtype))), dtype, shape, written.back());
      }
    }
    writer.close();
  }
  const TraceReader reader(file());
  ASSERT_EQ(reader.records().size(), written.size());
  for (std::size_t row = 0; row < written.size(); ++row) {
    const Record& record = reader.records()[row];
    EXPECT_EQ(record.dtype, static_cast<DType>(row / shapes.size()));
    EXPECT_EQ(record.shape, shapes[row % shapes.size()]);
    EXPECT_TRUE(reader.has_payload(static_cast<std::int64_t>(row)));
    EXPECT_EQ(reader.payload(static_cast<std::int64_t>(row)), written[row]) << row;
  }
  reader.verify();
}

TEST_P(RoundTrip, KeepsTheBitsOfSpecialValues) {
  const std::vector<std::uint32_t> floats{0x7fc00001, 0x7f800001, 0xffc12345, 0x80000000, 1, 0x7f800000, 0xff800000};
  const std::vector<std::uint64_t> doubles{
      0x7ff8000000000001, 0x7ff0000000000001, 0xfff8123456789abc, 0x8000000000000000, 1, 0x7ff0000000000000};
  const std::vector<std::uint16_t> halves{0x7e01, 0x7c01, 0xfe12, 0x8000, 1, 0x7c00, 0xfc00, 0x7fc1, 0x7f81, 0xff80};
  const std::vector<std::pair<DType, Bytes>> cases{
      {DType::float32, bytes_of(floats)},     {DType::float64, bytes_of(doubles)},
      {DType::float16, bytes_of(halves)},     {DType::bfloat16, bytes_of(halves)},
      {DType::complex128, bytes_of(doubles)}, {DType::complex32, bytes_of(halves)}};
  for (std::int64_t repeats : {1, 30000}) {  // packed, and chunks of their own
    TraceWriter writer(file(), options());
    std::vector<Bytes> written;
    for (const auto& [dtype, values] : cases) {
      Bytes bytes;
      for (std::int64_t i = 0; i < repeats; ++i) bytes.insert(bytes.end(), values.begin(), values.end());
      written.push_back(bytes);
      const auto count = static_cast<std::int64_t>(bytes.size() / item_size(dtype));
      add_record(writer, output_of(std::string(name(dtype))), dtype, {count}, bytes);
    }
    writer.close();
    const TraceReader reader(file());
    for (std::size_t row = 0; row < written.size(); ++row) {
      EXPECT_EQ(reader.payload(static_cast<std::int64_t>(row)), written[row]) << row;
    }
  }
}

TEST_P(RoundTrip, KeepsEveryFieldOfARecord) {
  Record record{.id = parse_record_id("3:-:2/update/h.1%2Fx#4/param_grad.weight"), .position = 5};
  record.dtype = DType::int64;
  record.shape = {2, 2};
  record.producers = {0, 1};
  record.external = record.declared = record.dropped = true;
  record.fingerprint = {.hash = {1, 2}, .statistics = {-1, 2, 0.5, 3, 4, 5, 6}, .sketch = {}};
  TraceWriter writer(file(), options());
  add_record(writer, output_of("a"), DType::float32, {1}, random_bytes(1, 4));
  add_record(writer, output_of("b"), DType::float32, {1}, random_bytes(2, 4));
  EXPECT_EQ(writer.add(record, {}), 2);
  EXPECT_EQ(writer.record_count(), 3);
  writer.close();

  const TraceReader reader(file());
  const Record& back = reader.records().at(2);
  EXPECT_EQ(back.id, record.id);
  EXPECT_EQ(back.position, 5);
  EXPECT_EQ(back.dtype, DType::int64);
  EXPECT_EQ(back.shape, record.shape);
  EXPECT_THAT(back.producers, ElementsAre(0, 1));
  EXPECT_TRUE(back.external && back.declared && back.dropped);
  EXPECT_EQ(back.fingerprint.hash, record.fingerprint.hash);
  EXPECT_EQ(back.fingerprint.statistics, record.fingerprint.statistics);
  EXPECT_FALSE(reader.has_payload(2));
  EXPECT_THROW(reader.payload(2), Error);
  EXPECT_FALSE(reader.records()[0].external || reader.records()[0].declared || reader.records()[0].dropped);
  EXPECT_THAT(reader.find(record.id), Optional(2));
  EXPECT_EQ(reader.find(output_of("c")), std::nullopt);
}

TEST_P(RoundTrip, KeepsHeaderTapesCallsAndBlobs) {
  const Header header{{"model.name", "a=b\nc\\d ü\x01"}, {"odd=name\n", ""}};
  LayerCall call{.step = 1, .micro = 2, .rank = 3, .pass = Pass::recompute, .layer = "h.1", .call = 4};
  {
    TraceWriter writer(file(), options());
    writer.header() = header;
    EXPECT_EQ(writer.add_tape(linear_tape("a")), 0);
    EXPECT_EQ(writer.add_tape(linear_tape("b")), 1);
    EXPECT_EQ(writer.add_tape(linear_tape("a")), 0);
    EXPECT_EQ(writer.add_blob(random_bytes(1, 5056)), 0);
    EXPECT_EQ(writer.add_blob(random_bytes(2, 5056)), 1);
    EXPECT_EQ(writer.add_blob(random_bytes(1, 5056)), 0);
    EXPECT_EQ(writer.add_call(call), 0);
    call.parent = 0;
    call.random = 1;
    EXPECT_EQ(writer.add_call(call), 1);
    writer.set_tape(1, 1);
    writer.set_replayable(1, Replayable::unsupported, "aten::foo: custom");
    writer.close();
  }
  const TraceReader reader(file());
  Header wanted = header;
  wanted["capture.codec"] = name(GetParam());
  EXPECT_EQ(reader.header(), wanted);
  EXPECT_EQ(reader.tape_count(), 2);
  EXPECT_EQ(reader.tape(1), linear_tape("b"));
  EXPECT_EQ(reader.tape_text(0), to_text(linear_tape("a")));
  EXPECT_THROW(reader.tape(2), Error);
  EXPECT_EQ(reader.blob(1), random_bytes(2, 5056));
  EXPECT_THROW(reader.blob(-1), Error);
  ASSERT_EQ(reader.calls().size(), 2);
  const LayerCall& back = reader.calls()[1];
  EXPECT_EQ(std::tie(back.step, back.micro, back.rank, back.pass, back.layer, back.call),
            std::tie(call.step, call.micro, call.rank, call.pass, call.layer, call.call));
  EXPECT_EQ(std::tuple(back.parent, back.tape, back.random), std::tuple(0, 1, 1));
  EXPECT_EQ(back.replayable, Replayable::unsupported);
  EXPECT_EQ(back.note, "aten::foo: custom");
  EXPECT_EQ(reader.calls()[0].tape, -1);
}

TEST_P(RoundTrip, AnEmptyTraceIsATrace) {
  {
    TraceWriter writer(file(), options());
    writer.close();
  }
  const TraceReader reader(file());
  EXPECT_TRUE(reader.records().empty() && reader.calls().empty() && reader.header().size() == 1);
  reader.verify();
}

// Sketches: exact for small tensors, float32 or float64 otherwise.
TEST_P(RoundTrip, KeepsSketches) {
  const std::vector<float> values{1.5f, -0.0f, 3e38f};
  Record record{.id = output_of("a"), .dtype = DType::float32, .shape = {3}};
  record.fingerprint.hash = content_hash(bytes_of(values));
  record.fingerprint.sketch = {1.5, -0.0, static_cast<double>(3e38f)};
  TraceWriter writer(file(), options());
  const auto whole = writer.add(record, bytes_of(values));
  const auto without_payload = writer.add(record, {});
  record.fingerprint.hash = {5, 5};
  record.fingerprint.sketch = {0.1, 0.2};
  const auto rounded = writer.add(record, {});
  record.dtype = DType::float64;
  const auto exact = writer.add(record, {});
  record.dtype = DType::int64;
  record.fingerprint.sketch = {9007199254740991.0};
  const auto integer = writer.add(record, {});
  record.fingerprint.sketch.clear();
  const auto none = writer.add(record, {});
  writer.close();

  const TraceReader reader(file());
  EXPECT_THAT(reader.sketch(whole), ElementsAre(1.5, -0.0, 3e38f));
  EXPECT_THAT(reader.sketch(without_payload), ElementsAre(1.5, -0.0, 3e38f));
  EXPECT_THAT(reader.sketch(rounded), ElementsAre(0.1f, 0.2f));
  EXPECT_THAT(reader.sketch(exact), ElementsAre(0.1, 0.2));
  EXPECT_THAT(reader.sketch(integer), ElementsAre(9007199254740991.0));
  EXPECT_TRUE(reader.sketch(none).empty());
  EXPECT_TRUE(reader.records()[0].fingerprint.sketch.empty());
}

TEST_P(RoundTrip, EqualContentIsStoredOnce) {
  const Bytes big = random_bytes(1, 100000);
  {
    TraceWriter writer(file(), options());
    add_record(writer, output_of("a"), DType::uint8, {100000}, big);
    const std::uint64_t once = writer.payload_bytes();
    EXPECT_GT(once, 0u);
    add_record(writer, output_of("b", 1), DType::uint8, {1000, 100}, big);
    EXPECT_EQ(writer.payload_bytes(), once);
    add_record(writer, output_of("a"), DType::int8, {100000}, big);  // another dtype is another content
    EXPECT_GT(writer.payload_bytes(), once);
    writer.close();
  }
  const TraceReader reader(file());
  for (std::int64_t row = 0; row < 3; ++row) EXPECT_EQ(reader.payload(row), big);
  EXPECT_EQ(reader.records()[1].shape, (Shape{1000, 100}));
}

// E07: HDF5 attributes end at 64 KiB; nothing of unbounded length is in one.
TEST_P(RoundTrip, ManyLongNamesAndALargeConfiguration) {
  const std::string configuration(200000, 'c');
  std::vector<std::string> layers;
  for (int i = 0; i < 5000; ++i) layers.push_back(std::string(36, 'n') + std::to_string(1000 + i));
  layers.push_back(std::string(100000, 'x'));
  for (const char* odd : {".", "..", "a/b", "", "…"}) layers.emplace_back(odd);
  {
    TraceWriter writer(file(), options());
    writer.header()["model.config"] = configuration;
    for (const std::string& layer : layers) {
      const bool chunked = layer.size() != 40;
      const Shape shape = chunked ? Shape{40000} : Shape{2};
      const auto bytes = static_cast<std::size_t>(byte_count(shape, DType::float32));
      add_record(writer, output_of(layer), DType::float32, shape, random_bytes(std::hash<std::string>()(layer), bytes));
    }
    writer.close();
  }
  const TraceReader reader(file());
  EXPECT_EQ(reader.header().at("model.config"), configuration);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    ASSERT_EQ(reader.records()[i].id.layer, layers[i]);
    EXPECT_FALSE(reader.payload(static_cast<std::int64_t>(i)).empty());
  }
}

// E09: recording again keeps the size and what the trace says.
TEST_P(RoundTrip, RecordingAgainKeepsTheSize) {
  write_sample(file(), options());
  const std::uintmax_t size = std::filesystem::file_size(file());
  const Hash128 digest = digest_of(TraceReader(file()));
  for (int i = 0; i < 20; ++i) write_sample(file(), options());
  EXPECT_EQ(std::filesystem::file_size(file()), size);
  EXPECT_EQ(digest_of(TraceReader(file())), digest);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.h5.partial"));
}

// A trace that is sealed by copying, as small ones are, has no byte that depends on the journal.
TEST_P(RoundTrip, RecordingSmallTensorsAgainKeepsEveryByte) {
  const auto record = [&] {
    TraceWriter writer(file(), options());
    for (std::uint64_t i = 0; i < 100; ++i) {
      add_record(writer, output_of("layer." + std::to_string(i)), DType::float32, {40, 30}, random_bytes(i, 4800));
    }
    writer.close();
  };
  record();
  const std::string first = read_file(file());
  for (int i = 0; i < 5; ++i) record();
  EXPECT_TRUE(read_file(file()) == first) << "bytes differ";
}

// E11: tens of thousands of tiny tensors share datasets and cost the same each.
TEST_P(RoundTrip, TinyTensorsArePacked) {
  std::uint64_t sizes[2];
  for (int doubled = 0; doubled < 2; ++doubled) {
    TraceWriter writer(file(), options());
    const int count = doubled == 0 ? 20000 : 40000;
    for (int i = 0; i < count; ++i) {
      add_record(writer, output_of("layer." + std::to_string(i)), DType::float32, {4},
                 random_bytes(static_cast<std::uint64_t>(i), 16));
    }
    writer.close();
    sizes[doubled] = std::filesystem::file_size(file());
    const TraceReader reader(file());
    ASSERT_EQ(reader.records().size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; i += 997) EXPECT_EQ(reader.payload(i), random_bytes(static_cast<std::uint64_t>(i), 16));
    EXPECT_THAT(reader.find(output_of("layer.19999")), Optional(19999));
  }
  EXPECT_LT(sizes[0], 20000u * 110);
  EXPECT_LT(static_cast<double>(sizes[1]), 2.2 * static_cast<double>(sizes[0]));
}

TEST_P(RoundTrip, TensorsOfManyAxes) {
  const Shape many(40, 1);
  Shape large(35, 1);
  large.back() = 100000;
  TraceWriter writer(file(), options());
  add_record(writer, output_of("a"), DType::float32, many, random_bytes(1, 4));
  add_record(writer, output_of("b"), DType::float32, large, random_bytes(2, 400000));
  writer.close();
  const TraceReader reader(file());
  EXPECT_EQ(reader.payload(0), random_bytes(1, 4));
  EXPECT_EQ(reader.payload(1), random_bytes(2, 400000));
}

}  // namespace
}  // namespace goldentrace
