#include "checkpoints/matrix.h"

#include <algorithm>
#include <cstring>

#include "traces/error.h"

namespace goldentrace {
namespace {

constexpr std::int64_t band_bytes = std::int64_t{32} << 20;
constexpr std::int64_t tile = 32;  // rows and columns that are transposed at once: both sides stay in the first cache

[[noreturn]] void misuse(const char* what) { throw Error(ErrorCode::internal, what); }

std::int64_t item(const Matrix& matrix) { return static_cast<std::int64_t>(item_size(matrix.dtype)); }

const std::byte* element(const Block& block, std::int64_t size, std::int64_t row, std::int64_t column) {
  return block.data + (row * block.row_stride + column * block.column_stride) * size;
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// The rows of the run that the block has, placed as if the run were the whole matrix; none: rows is 0 or less.
Block row_part(const Block& block, std::int64_t size, const RowRun& run) {
  std::int64_t first = 0, end = run.count;
  if (run.step > 0) {
    first = ceiling(block.row - run.from, run.step);
    end = std::min(run.count, ceiling(block.row + block.rows - run.from, run.step));
  } else if (run.from < block.row || run.from >= block.row + block.rows) {
    end = 0;
  }
  Block part = block;
  part.row = first;
  part.rows = end - first;
  if (part.rows <= 0) return part;
  part.data = element(block, size, run.from + first * run.step - block.row, 0);
  part.row_stride *= run.step;
  return part;
}

std::int64_t last_row(const RowRun& run) { return run.from + std::max<std::int64_t>(0, run.count - 1) * run.step; }

// For each block the largest end of a row among it and those before it: rises, so that a search finds the first block
// that may reach a row.
std::vector<std::int64_t> reaches(const Matrix& matrix) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (const Block& block : matrix.blocks) ends.push_back(end = std::max(end, block.row + block.rows));
  return ends;
}

bool continues(const Block& a, const Block& b, std::int64_t size) {
  return a.column == b.column && a.columns == b.columns && a.row_stride == b.row_stride &&
         a.column_stride == b.column_stride && a.row + a.rows == b.row && element(a, size, a.rows, 0) == b.data;
}

void append(Matrix& matrix, const Block& block) {
  if (block.rows <= 0 || block.columns <= 0) return;
  if (!matrix.blocks.empty() && continues(matrix.blocks.back(), block, item(matrix)))
    matrix.blocks.back().rows += block.rows;
  else
    matrix.blocks.push_back(block);
}

template <std::size_t size>
void copy_tile(const Block& block, std::int64_t row, std::int64_t column, std::byte* out, std::int64_t out_stride) {
  const std::int64_t rows = std::min(tile, block.rows - row), columns = std::min(tile, block.columns - column);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::byte* to = out + ((block.row + row + r) * out_stride + block.column + column) * std::int64_t{size};
    const std::byte* from = element(block, size, row + r, column);
    for (std::int64_t c = 0; c < columns; ++c, to += size, from += block.column_stride * std::int64_t{size})
      std::memcpy(to, from, size);
  }
}

template <std::size_t size>
void copy_tiles(const Block& block, std::byte* out, std::int64_t out_stride) {
  for (std::int64_t row = 0; row < block.rows; row += tile)
    for (std::int64_t column = 0; column < block.columns; column += tile)
      copy_tile<size>(block, row, column, out, out_stride);
}

void copy_rows(const Block& block, std::int64_t size, std::byte* out, std::int64_t out_stride) {
  for (std::int64_t row = 0; row < block.rows; ++row)
    std::memcpy(out + ((block.row + row) * out_stride + block.column) * size, element(block, size, row, 0),
                static_cast<std::size_t>(block.columns * size));
}

void copy_block(const Block& block, std::int64_t size, std::byte* out, std::int64_t out_stride) {
  if (block.column_stride == 1 || block.columns == 1) return copy_rows(block, size, out, out_stride);
  switch (size) {
    case 1:
      return copy_tiles<1>(block, out, out_stride);
    case 2:
      return copy_tiles<2>(block, out, out_stride);
    case 4:
      return copy_tiles<4>(block, out, out_stride);
    case 8:
      return copy_tiles<8>(block, out, out_stride);
    default:
      return copy_tiles<16>(block, out, out_stride);
  }
}

std::span<const std::byte> one_piece(const Matrix& matrix) {
  if (matrix.blocks.size() != 1) return {};
  const Block& block = matrix.blocks[0];
  const bool rows_join = block.row_stride == block.columns || block.rows == 1;
  const bool columns_join = block.column_stride == 1 || block.columns == 1;
  if (!rows_join || !columns_join) return {};
  return {block.data, static_cast<std::size_t>(matrix.rows * matrix.columns * item(matrix))};
}

}  // namespace

Matrix matrix_of(const StridedTensor& view) {
  if (view.shape.empty() || view.shape.size() > 2) misuse("a matrix of more than two dimensions");
  const bool vector = view.shape.size() == 1;
  Matrix matrix{.dtype = view.dtype, .rows = view.shape[0], .columns = vector ? 1 : view.shape[1]};
  append(matrix, {.data = view.data,
                  .row_stride = view.strides[0],
                  .column_stride = vector ? 1 : view.strides[1],
                  .rows = matrix.rows,
                  .columns = matrix.columns});
  return matrix;
}

Matrix gather_rows(const Matrix& matrix, std::span<const RowRun> runs) {
  const std::vector<std::int64_t> ends = reaches(matrix);
  Matrix result{.dtype = matrix.dtype, .columns = matrix.columns};
  for (const RowRun& run : runs) {
    if (run.count == 0) continue;
    if (run.from < 0 || run.count < 0 || run.step < 0 || last_row(run) >= matrix.rows) misuse("rows outside a matrix");
    const auto first = std::ranges::upper_bound(ends, run.from) - ends.begin();
    for (auto i = static_cast<std::size_t>(first); i < matrix.blocks.size(); ++i) {
      if (matrix.blocks[i].row > last_row(run)) break;
      Block part = row_part(matrix.blocks[i], item(matrix), run);
      part.row += result.rows;
      append(result, part);
    }
    result.rows += run.count;
  }
  return result;
}

Matrix cut_columns(const Matrix& matrix, std::int64_t from, std::int64_t count) {
  if (from < 0 || count < 0 || from > matrix.columns - count) misuse("columns outside a matrix");
  Matrix result{.dtype = matrix.dtype, .rows = matrix.rows, .columns = count};
  for (const Block& block : matrix.blocks) {
    const std::int64_t begin = std::max(block.column, from), end = std::min(block.column + block.columns, from + count);
    if (begin >= end) continue;
    Block part = block;
    part.data = element(block, item(matrix), 0, begin - block.column);
    part.column = begin - from;
    part.columns = end - begin;
    append(result, part);
  }
  return result;
}

Matrix stack_rows(std::span<const Matrix> parts) {
  Matrix result{.dtype = parts[0].dtype, .columns = parts[0].columns};
  for (const Matrix& part : parts) {
    if (part.columns != result.columns || part.dtype != result.dtype) misuse("rows of different matrices");
    for (Block block : part.blocks) {
      block.row += result.rows;
      append(result, block);
    }
    result.rows += part.rows;
  }
  return result;
}

Matrix stack_columns(std::span<const Matrix> parts) {
  Matrix result{.dtype = parts[0].dtype, .rows = parts[0].rows};
  for (const Matrix& part : parts) {
    if (part.rows != result.rows || part.dtype != result.dtype) misuse("columns of different matrices");
    for (Block block : part.blocks) {
      block.column += result.columns;
      result.blocks.push_back(block);
    }
    result.columns += part.columns;
  }
  std::ranges::stable_sort(result.blocks, {}, &Block::row);
  return result;
}

Matrix transposed(const Matrix& matrix) {
  Matrix result{.dtype = matrix.dtype, .rows = matrix.columns, .columns = matrix.rows, .blocks = matrix.blocks};
  for (Block& block : result.blocks) {
    std::swap(block.row, block.column);
    std::swap(block.rows, block.columns);
    std::swap(block.row_stride, block.column_stride);
  }
  std::ranges::stable_sort(result.blocks, {}, &Block::row);
  return result;
}

void copy_elements(const Matrix& matrix, std::span<std::byte> out) {
  if (out.size() != static_cast<std::size_t>(matrix.rows * matrix.columns * item(matrix))) misuse("another size");
  for (const Block& block : matrix.blocks) copy_block(block, item(matrix), out.data(), matrix.columns);
}

void stream_elements(const Matrix& matrix, const ByteSink& sink) {
  if (const auto piece = one_piece(matrix); !piece.empty()) return sink(piece);
  const std::int64_t row_bytes = std::max<std::int64_t>(1, matrix.columns * item(matrix));
  const std::int64_t band = std::max<std::int64_t>(1, band_bytes / row_bytes);
  std::vector<std::byte> bytes;
  for (std::int64_t row = 0; row < matrix.rows; row += band) {
    const RowRun run{row, std::min(band, matrix.rows - row)};
    bytes.resize(static_cast<std::size_t>(run.count * matrix.columns * item(matrix)));
    copy_elements(gather_rows(matrix, {&run, 1}), bytes);
    sink(bytes);
  }
}

bool equal_elements(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.columns != b.columns || a.dtype != b.dtype) return false;
  const std::int64_t row_bytes = std::max<std::int64_t>(1, a.columns * item(a));
  const std::int64_t band = std::max<std::int64_t>(1, band_bytes / row_bytes);
  std::vector<std::byte> left, right;
  for (std::int64_t row = 0; row < a.rows; row += band) {
    const RowRun run{row, std::min(band, a.rows - row)};
    left.resize(static_cast<std::size_t>(run.count * row_bytes));
    right.resize(left.size());
    copy_elements(gather_rows(a, {&run, 1}), left);
    copy_elements(gather_rows(b, {&run, 1}), right);
    if (left != right) return false;
  }
  return true;
}

}  // namespace goldentrace
