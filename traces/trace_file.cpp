#include "traces/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "traces/error.h"
#include "traces/file_kind.h"
#include "traces/foreign_text.h"
#include "traces/hash.h"
#include "traces/journal_format.h"
#include "traces/journal_reader.h"
#include "traces/recording_state.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_missing(const fs::path& path) {
  const RecordingState state = recording_state(path);
  if (state.recording != Recording::none) refuse_recording(state);
  throw Error(ErrorCode::not_found, "no such file", {.file = path.string()});
}

bool is_leftover_name(const std::string& path) {
  return path.ends_with(format::partial_suffix) || path.ends_with(format::journal_suffix);
}

[[noreturn]] void refuse(const TraceFile& file, ErrorCode code, const std::string& what) {
  throw Error(code, what, {.file = file.path().string()});
}

[[noreturn]] void refuse_foreign(const TraceFile& file, std::span<const std::byte> block) {
  const auto head = std::min<std::uint64_t>(file.size(), block.size());
  const std::string text = foreign_text({reinterpret_cast<const char*>(block.data()), head}, "a trace");
  refuse(file, ErrorCode::not_a_trace, text.empty() ? "not a trace (" + std::to_string(file.size()) + " bytes)" : text);
}

std::string of_bytes(std::uint64_t have, std::uint64_t want) {
  return "truncated: " + std::to_string(have) + " of " + std::to_string(want) + " bytes; record again or copy again";
}

}  // namespace

TraceFile::TraceFile(const fs::path& path, Naming naming) : path_(path) {
  open_file(naming);
  try {
    check_first_block();
  } catch (...) {
    close(file_);
    throw;
  }
  being_rewritten_ = recording_state(path_).recording == Recording::running;
}

TraceFile::~TraceFile() { close(file_); }

void TraceFile::open_file(Naming naming) {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) refuse_missing(path_);
    refuse(*this, ErrorCode::input_output, std::string("cannot look at the file: ") + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    std::error_code ignored;
    refuse(*this, ErrorCode::not_a_trace, "is " + kind_of_file(fs::status(path_, ignored).type()) + ", not a trace");
  }
  if (naming == Naming::as_trace && is_leftover_name(path_.string())) refuse_recording({recording_of(path_), path_});
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 || fstat(file_, &status) != 0) {
    refuse(*this, ErrorCode::input_output, std::string("cannot open the file: ") + std::strerror(errno));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void TraceFile::check_first_block() {
  constexpr std::size_t shortest = offsetof(format::FirstBlock, tables_address);  // holds magic and file size
  if (size_ == 0) refuse(*this, ErrorCode::not_a_trace, "empty; record again");
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&block_, 1));
  read(0, bytes.first(std::min<std::uint64_t>(size_, bytes.size())));
  if (block_.magic == format::hdf5_signature) refuse(*this, ErrorCode::not_a_trace, "an HDF5 file, but not a trace");
  if (block_.magic == format::journal_magic) {
    refuse(*this, ErrorCode::not_a_trace,
           "a journal, not a trace; recover it with: " + recover_command(path_) + " -o OTHER");
  }
  if (block_.magic != format::magic || size_ < shortest) {
    refuse_foreign(*this, bytes);
  }
  if (size_ < sizeof block_) refuse(*this, ErrorCode::damaged, of_bytes(size_, block_.file_bytes));
  const Hash128 hash = piece_hash(bytes.first(format::hashed_block_bytes));
  if (hash != Hash128{block_.block_low, block_.block_high}) {
    refuse(*this, ErrorCode::damaged, "damaged: the hash of the first block is wrong; record again or copy again");
  }
  if (block_.version != format::version) {
    refuse(*this, ErrorCode::version,
           "format version " + std::to_string(block_.version) + "; this build reads version " +
               std::to_string(format::version));
  }
  if (size_ < block_.file_bytes) refuse(*this, ErrorCode::damaged, of_bytes(size_, block_.file_bytes));
  if (size_ > block_.file_bytes) {
    refuse(*this, ErrorCode::damaged,
           "damaged: " + std::to_string(size_ - block_.file_bytes) +
               " bytes behind the end of the trace; record again or copy again");
  }
}

void TraceFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  if (address > size_ || bytes.size() > size_ - address) {
    refuse(*this, ErrorCode::damaged, "damaged: something is said to lie outside the file");
  }
  while (!bytes.empty()) {
    const ssize_t done = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse(*this, ErrorCode::input_output, std::string("cannot read: ") + std::strerror(errno));
    if (done == 0) refuse(*this, ErrorCode::damaged, "the file became shorter while it was read");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    address += static_cast<std::uint64_t>(done);
  }
}

}  // namespace goldentrace
