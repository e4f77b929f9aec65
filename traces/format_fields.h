// The members of every row of traces/format.h under the names that HDF5 tools show.
#pragma once

#include <array>

#include "traces/format.h"

namespace goldentrace::format {

inline constexpr std::array table_fields{
    Field{"name", offsetof(TableRow, name), FieldType::text, sizeof(TableRow::name)},
    Field{"rows", offsetof(TableRow, rows), FieldType::u64},
    Field{"chunk_rows", offsetof(TableRow, chunk_rows), FieldType::u64},
    Field{"first_chunk", offsetof(TableRow, first_chunk), FieldType::u64},
    Field{"chunk_count", offsetof(TableRow, chunk_count), FieldType::u64},
    Field{"row_bytes", offsetof(TableRow, row_bytes), FieldType::u32},
    Field{"codec", offsetof(TableRow, codec), FieldType::u32},
    Field{"hash_low", offsetof(TableRow, low), FieldType::u64},
    Field{"hash_high", offsetof(TableRow, high), FieldType::u64},
};

inline constexpr std::array chunk_fields{
    Field{"address", offsetof(ChunkRow, address), FieldType::u64},
    Field{"bytes", offsetof(ChunkRow, bytes), FieldType::u64},
    Field{"hash_low", offsetof(ChunkRow, low), FieldType::u64},
    Field{"hash_high", offsetof(ChunkRow, high), FieldType::u64},
};

inline constexpr std::array dataset_fields{
    Field{"path", offsetof(DatasetRow, path), FieldType::u32},
    Field{"dtype", offsetof(DatasetRow, dtype), FieldType::u8},
    Field{"kind", offsetof(DatasetRow, kind), FieldType::u8},
    Field{"codec", offsetof(DatasetRow, codec), FieldType::u8},
    Field{"rows", offsetof(DatasetRow, rows), FieldType::u64},
    Field{"shape", offsetof(DatasetRow, shape), FieldType::u32},
    Field{"dimensions", offsetof(DatasetRow, dimensions), FieldType::u32},
    Field{"split_axis", offsetof(DatasetRow, split_axis), FieldType::u32},
    Field{"split", offsetof(DatasetRow, split), FieldType::u64},
    Field{"chunk_bytes", offsetof(DatasetRow, chunk_bytes), FieldType::u64},
    Field{"first_chunk", offsetof(DatasetRow, first_chunk), FieldType::u64},
    Field{"chunk_count", offsetof(DatasetRow, chunk_count), FieldType::u64},
};

inline constexpr std::array index_fields{
    Field{"step", offsetof(IndexRow, step), FieldType::i64},
    Field{"micro", offsetof(IndexRow, micro), FieldType::i64},
    Field{"rank", offsetof(IndexRow, rank), FieldType::i32},
    Field{"layer", offsetof(IndexRow, layer), FieldType::u32},
    Field{"call", offsetof(IndexRow, call), FieldType::i32},
    Field{"index", offsetof(IndexRow, index), FieldType::u32},
    Field{"position", offsetof(IndexRow, position), FieldType::i32},
    Field{"pass", offsetof(IndexRow, pass), FieldType::u8},
    Field{"role", offsetof(IndexRow, role), FieldType::u8},
    Field{"dtype", offsetof(IndexRow, dtype), FieldType::u8},
    Field{"flags", offsetof(IndexRow, flags), FieldType::u8},
    Field{"shape", offsetof(IndexRow, shape), FieldType::u32},
    Field{"dimensions", offsetof(IndexRow, dimensions), FieldType::u32},
    Field{"producers", offsetof(IndexRow, producers), FieldType::u64},
    Field{"producer_count", offsetof(IndexRow, producer_count), FieldType::u32},
    Field{"dataset", offsetof(IndexRow, dataset), FieldType::u32},
    Field{"row", offsetof(IndexRow, row), FieldType::u64},
    Field{"sketch", offsetof(IndexRow, sketch), FieldType::u64},
    Field{"sketch_count", offsetof(IndexRow, sketch_count), FieldType::u32},
    Field{"sketch_table", offsetof(IndexRow, sketch_table), FieldType::u32},
    Field{"hash_low", offsetof(IndexRow, low), FieldType::u64},
    Field{"hash_high", offsetof(IndexRow, high), FieldType::u64},
    Field{"min", offsetof(IndexRow, min), FieldType::f64},
    Field{"max", offsetof(IndexRow, max), FieldType::f64},
    Field{"mean", offsetof(IndexRow, mean), FieldType::f64},
    Field{"l2", offsetof(IndexRow, l2), FieldType::f64},
    Field{"nan_count", offsetof(IndexRow, nan_count), FieldType::u64},
    Field{"inf_count", offsetof(IndexRow, inf_count), FieldType::u64},
    Field{"zero_count", offsetof(IndexRow, zero_count), FieldType::u64},
};

inline constexpr std::array call_fields{
    Field{"step", offsetof(CallRow, step), FieldType::i64},
    Field{"micro", offsetof(CallRow, micro), FieldType::i64},
    Field{"parent", offsetof(CallRow, parent), FieldType::i64},
    Field{"tape", offsetof(CallRow, tape), FieldType::i64},
    Field{"random", offsetof(CallRow, random), FieldType::i64},
    Field{"rank", offsetof(CallRow, rank), FieldType::i32},
    Field{"layer", offsetof(CallRow, layer), FieldType::u32},
    Field{"call", offsetof(CallRow, call), FieldType::i32},
    Field{"note", offsetof(CallRow, note), FieldType::u32},
    Field{"pass", offsetof(CallRow, pass), FieldType::u8},
    Field{"replayable", offsetof(CallRow, replayable), FieldType::u8},
};

}  // namespace goldentrace::format
