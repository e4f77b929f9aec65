// Collects every sealed table of a trace and writes /seal and the first block.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "traces/chunked_stream.h"
#include "traces/file_rest.h"
#include "traces/format.h"
#include "traces/hdf5_file.h"
#include "traces/locked_file.h"

namespace goldentrace {

class SealWriter {
 public:
  void add(const ChunkedStream& finished);
  void add_header(Hdf5File& file, std::string_view text);
  void add_payload(std::span<const format::ChunkRow> chunks);

  void write_seal(Hdf5File& file);           // the last thing written through libhdf5
  void write_first_block(LockedFile& file);  // after libhdf5 has closed the file

 private:
  std::vector<format::TableRow> tables_;
  std::vector<format::ChunkRow> chunks_;
  std::vector<ByteRange> covered_;
  format::FirstBlock block_;
};

}  // namespace goldentrace
