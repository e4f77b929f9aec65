#include "checkpoints/row_orders.h"

#include <algorithm>

#include "traces/error.h"

namespace goldentrace {
namespace {

// Rows of a group, and of the part (0: query, 1: key, 2: value) of a head without groups.
std::int64_t group_rows(const GptShape& shape) { return (shape.queries() + 2) * shape.head_size(); }

std::int64_t part_row(const GptShape& shape, std::int64_t head, std::int64_t part) {
  return (3 * head + part) * shape.head_size();
}

}  // namespace

void check_version(int version, const GptShape& shape) {
  if (version < 2 && shape.groups != shape.heads)
    throw Error(ErrorCode::unsupported, "checkpoint version " + std::to_string(version) + " knows no query groups");
}

RowRuns merge_query_key_value(const GptShape& shape, int version, std::int64_t ranks) {
  check_version(version, shape);
  if (version >= 2) return {{0, shape.query_key_value_rows()}};
  const std::int64_t heads = shape.heads / ranks, size = shape.head_size();
  RowRuns runs;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t start = head / heads * 3 * heads * size, local = head % heads;
    for (std::int64_t part = 0; part < 3; ++part)
      runs.push_back(version == 0 ? RowRun{start + (part * heads + local) * size, size}
                                  : RowRun{start + local * size * 3 + part, size, 3});
  }
  return runs;
}

RowRuns split_query_key_value(const GptShape& shape, int version, std::int64_t ranks, std::int64_t rank) {
  check_version(version, shape);
  const std::int64_t heads = shape.heads / ranks, size = shape.head_size(), rows = shape.query_key_value_rows() / ranks;
  if (version >= 2) return {{rank * rows, rows}};
  RowRuns runs;
  if (version == 0) {
    for (std::int64_t part = 0; part < 3; ++part)
      for (std::int64_t head = rank * heads; head < (rank + 1) * heads; ++head)
        runs.push_back({part_row(shape, head, part), size});
    return runs;
  }
  for (std::int64_t head = rank * heads; head < (rank + 1) * heads; ++head)
    for (std::int64_t row = 0; row < size; ++row) runs.push_back({part_row(shape, head, 0) + row, 3, size});
  return runs;
}

RowRuns to_thirds(const GptShape& shape) {
  const std::int64_t size = shape.head_size(), queries = shape.queries();
  RowRuns runs;
  for (std::int64_t group = 0; group < shape.groups; ++group)
    runs.push_back({group * group_rows(shape), queries * size});
  for (std::int64_t part = 0; part < 2; ++part)
    for (std::int64_t head = 0; head < shape.heads; ++head)
      runs.push_back({head / queries * group_rows(shape) + (queries + part) * size, size});
  return runs;
}

RowRuns from_thirds(const GptShape& shape) {
  const std::int64_t size = shape.head_size(), queries = shape.queries();
  RowRuns runs;
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    runs.push_back({group * queries * size, queries * size});
    for (std::int64_t part = 1; part < 3; ++part) runs.push_back({(part * shape.heads + group * queries) * size, size});
  }
  return runs;
}

RowRuns merge_mlp(const GptShape& shape, std::int64_t ranks) {
  if (shape.glu.empty()) return {{0, shape.ffn}};
  const std::int64_t rows = shape.ffn / ranks;
  RowRuns runs;
  for (std::int64_t half = 0; half < 2; ++half)
    for (std::int64_t rank = 0; rank < ranks; ++rank) runs.push_back({(2 * rank + half) * rows, rows});
  return runs;
}

RowRuns split_mlp(const GptShape& shape, std::int64_t ranks, std::int64_t rank) {
  const std::int64_t rows = shape.ffn / ranks;
  if (shape.glu.empty()) return {{rank * rows, rows}};
  return {{rank * rows, rows}, {shape.ffn + rank * rows, rows}};
}

RowRuns split_vocabulary(std::int64_t vocab, std::int64_t padded, std::int64_t ranks, std::int64_t rank) {
  const std::int64_t rows = padded / ranks, begin = rank * rows;
  const std::int64_t tokens = std::clamp<std::int64_t>(vocab - begin, 0, rows);
  RowRuns runs;
  if (tokens > 0) runs.push_back({begin, tokens});
  if (tokens < rows) runs.push_back({vocab - 1, rows - tokens, 0});
  return runs;
}

std::int64_t padded_vocabulary(std::int64_t vocab, std::int64_t multiple) {
  return (vocab + multiple - 1) / multiple * multiple;
}

}  // namespace goldentrace
