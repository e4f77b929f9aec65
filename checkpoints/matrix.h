// A matrix put together of pieces of tensors that lie in mapped files: rows gathered, shards joined, transposed, all
// without a copy. A vector is a matrix of one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checkpoints/strided_tensor.h"
#include "checkpoints/tensor_source.h"

namespace goldentrace {

// A rectangle of the matrix and where its elements are.
struct Block {
  const std::byte* data = nullptr;                 // of the first element; borrowed
  std::int64_t row_stride = 0, column_stride = 0;  // elements
  std::int64_t row = 0, column = 0;                // place in the matrix
  std::int64_t rows = 0, columns = 0;
};

// The blocks cover every element once, ordered by row.
struct Matrix {
  DType dtype = DType::none;
  std::int64_t rows = 0, columns = 0;
  std::vector<Block> blocks;
};

// Rows from, from + step, …; step 0 takes one row several times.
struct RowRun {
  std::int64_t from = 0, count = 0, step = 1;
};

Matrix matrix_of(const StridedTensor& view);  // Error(internal) for more than two dimensions

// The rows of the runs, one after another. Error(internal) for rows that are not there.
Matrix gather_rows(const Matrix& matrix, std::span<const RowRun> runs);
Matrix cut_columns(const Matrix& matrix, std::int64_t from, std::int64_t count);
Matrix stack_rows(std::span<const Matrix> parts);     // equal columns and dtype
Matrix stack_columns(std::span<const Matrix> parts);  // equal rows and dtype
Matrix transposed(const Matrix& matrix);

// Row-major bytes into `out`, which has rows * columns * item size.
void copy_elements(const Matrix& matrix, std::span<std::byte> out);

// The same in pieces of at most a few tens of megabytes (or one row), so that no copy of the whole is ever in memory; a
// matrix that lies in one piece is given as it is.
void stream_elements(const Matrix& matrix, const ByteSink& sink);

bool equal_elements(const Matrix& a, const Matrix& b);  // shape, dtype and every bit

}  // namespace goldentrace
