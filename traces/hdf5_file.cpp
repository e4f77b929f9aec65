#include "traces/hdf5_file.h"

#include <hdf5.h>

#include <memory>

#include "traces/error.h"
#include "traces/hdf5_types.h"
#include "traces/zstd_filter.h"

namespace goldentrace {
namespace {

Hdf5Handle property_list(hid_t kind) { return {hdf5_check(H5Pcreate(kind), "create a property list"), H5Pclose}; }

Hdf5Handle file_creation() {
  Hdf5Handle list = property_list(H5P_FILE_CREATE);
  hdf5_check(H5Pset_userblock(list.id(), sizeof(format::FirstBlock)), "reserve the first block");
  hdf5_check(H5Pset_obj_track_times(list.id(), 0), "switch times off");
  return list;
}

Hdf5Handle file_access(DriverTarget& target) {
  Hdf5Handle list = property_list(H5P_FILE_ACCESS);
  hdf5_check(H5Pset_libver_bounds(list.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), "set the version bounds");
  use_driver(list.id(), target);
  return list;
}

Hdf5Handle space_of(std::span<const std::uint64_t> sizes, const hsize_t* largest) {
  if (sizes.empty()) return {hdf5_check(H5Screate(H5S_SCALAR), "create a dataspace"), H5Sclose};
  const std::vector<hsize_t> copy(sizes.begin(), sizes.end());
  return {hdf5_check(H5Screate_simple(static_cast<int>(copy.size()), copy.data(), largest), "create a dataspace"),
          H5Sclose};
}

void set_filters(hid_t list, const ChunkedLayout& layout) {
  if (layout.codec == format::Codec::raw) return;
  std::uint64_t chunk_bytes = layout.item_bytes;
  for (std::uint64_t size : layout.chunk) chunk_bytes *= size;
  if (layout.item_bytes > 1) hdf5_check(H5Pset_shuffle(list), "set the shuffle filter");
  const unsigned parameters[]{static_cast<unsigned>(layout.level), static_cast<unsigned>(chunk_bytes)};
  hdf5_check(H5Pset_filter(list, static_cast<H5Z_filter_t>(format::zstd_filter), H5Z_FLAG_MANDATORY, 2, parameters),
             "set the Zstandard filter");
}

Hdf5Handle dataset_creation(const ChunkedLayout& layout) {
  Hdf5Handle list = property_list(H5P_DATASET_CREATE);
  const std::vector<hsize_t> chunk(layout.chunk.begin(), layout.chunk.end());
  hdf5_check(H5Pset_chunk(list.id(), static_cast<int>(chunk.size()), chunk.data()), "set the chunk sizes");
  hdf5_check(H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER), "switch filling off");
  hdf5_check(H5Pset_obj_track_times(list.id(), 0), "switch times off");
  set_filters(list.id(), layout);
  return list;
}

// Frames are written whole: a cache of chunks would only cost memory.
Hdf5Handle dataset_access() {
  Hdf5Handle list = property_list(H5P_DATASET_ACCESS);
  hdf5_check(H5Pset_chunk_cache(list.id(), 1, 0, 1.0), "switch the chunk cache off");
  return list;
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(Hdf5Handle dataset, DriverTarget& target, std::vector<std::uint64_t> row)
    : dataset_(std::move(dataset)), target_(&target), row_(std::move(row)) {}

void Hdf5Dataset::grow(std::uint64_t rows) {
  const Hdf5Guard guard;
  std::vector<hsize_t> sizes{rows};
  sizes.insert(sizes.end(), row_.begin(), row_.end());
  hdf5_check(H5Dset_extent(dataset_.id(), sizes.data()), "grow a dataset");
}

std::uint64_t Hdf5Dataset::write_chunk(std::span<const std::uint64_t> offset, std::span<const std::byte> frame) {
  const Hdf5Guard guard;
  write(offset, frame.data(), frame.size());
  return target_->raw_address;
}

void Hdf5Dataset::place_chunk(std::span<const std::uint64_t> offset, std::uint64_t address, std::uint64_t bytes) {
  static constexpr std::byte never_read{};
  const Hdf5Guard guard;
  target_->placed_address = address;
  target_->placed_bytes = bytes;
  write(offset, &never_read, bytes);
  if (target_->raw_address != address) throw Error(ErrorCode::internal, "libhdf5 puts a chunk elsewhere");
}

void Hdf5Dataset::write(std::span<const std::uint64_t> offset, const std::byte* frame, std::uint64_t bytes) {
  const std::vector<hsize_t> at(offset.begin(), offset.end());
  target_->raw_bytes = 0;
  hdf5_check(H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT, 0, at.data(), bytes, frame), "write a chunk");
  target_->file->check();
  if (target_->raw_bytes != bytes) throw Error(ErrorCode::internal, "libhdf5 did not write a chunk in one piece");
}

Hdf5File::Hdf5File(LockedFile& file, std::uint64_t begin) : file_(file), target_{.file = &file, .begin = begin} {
  const Hdf5Guard guard;
  register_zstd_filter();
  links_ = property_list(H5P_LINK_CREATE);
  hdf5_check(H5Pset_char_encoding(links_.id(), H5T_CSET_UTF8), "set link creation");
  const Hdf5Handle creation = file_creation();
  const Hdf5Handle access = file_access(target_);
  id_ = {hdf5_check(H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), "create a file"),
         H5Fclose};
}

Hdf5File::~Hdf5File() {
  if (id_.id() >= 0) file_.abandon();
}

// libhdf5's own intermediate groups would carry the time: equal recordings would not be equal files.
void Hdf5File::create_groups(const std::string& path) {
  const Hdf5Handle creation = property_list(H5P_GROUP_CREATE);
  hdf5_check(H5Pset_obj_track_times(creation.id(), 0), "switch times off");
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (!groups_.insert(path.substr(0, end)).second) continue;
    const Hdf5Handle group{
        hdf5_check(H5Gcreate2(id_.id(), path.substr(0, end).c_str(), links_.id(), creation.id(), H5P_DEFAULT),
                   "create a group"),
        H5Gclose};
  }
}

Hdf5Dataset Hdf5File::create(const ChunkedLayout& layout, const Hdf5Handle& type) {
  const Hdf5Guard guard;
  std::vector<std::uint64_t> sizes{0};
  sizes.insert(sizes.end(), layout.row.begin(), layout.row.end());
  std::vector<hsize_t> largest(sizes.begin(), sizes.end());
  largest[0] = H5S_UNLIMITED;
  create_groups(layout.path);
  const Hdf5Handle space = space_of(sizes, largest.data());
  const Hdf5Handle creation = dataset_creation(layout);
  const Hdf5Handle access = dataset_access();
  Hdf5Handle dataset{hdf5_check(H5Dcreate2(id_.id(), layout.path.c_str(), type.id(), space.id(), links_.id(),
                                           creation.id(), access.id()),
                                "create the dataset " + layout.path),
                     H5Dclose};
  return {std::move(dataset), target_, layout.row};
}

std::uint64_t Hdf5File::write(const std::string& path, const Hdf5Handle& type, std::span<const std::uint64_t> sizes,
                              std::span<const std::byte> bytes) {
  const Hdf5Guard guard;
  create_groups(path);
  const Hdf5Handle space = space_of(sizes, nullptr);
  const Hdf5Handle creation = property_list(H5P_DATASET_CREATE);
  hdf5_check(H5Pset_obj_track_times(creation.id(), 0), "switch times off");
  hdf5_check(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "switch filling off");
  Hdf5Handle dataset{
      hdf5_check(H5Dcreate2(id_.id(), path.c_str(), type.id(), space.id(), links_.id(), creation.id(), H5P_DEFAULT),
                 "create the dataset " + path),
      H5Dclose};
  if (bytes.empty()) return 0;
  hdf5_check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "write " + path);
  const haddr_t address = H5Dget_offset(dataset.id());
  if (address == HADDR_UNDEF) throw Error(ErrorCode::internal, "libhdf5 does not say where " + path + " lies");
  return address;
}

void Hdf5File::set_text(const std::string& path, const char* attribute, std::string_view value) {
  const Hdf5Guard guard;
  const Hdf5Handle type = text_type(value.size());
  const Hdf5Handle space = space_of({}, nullptr);
  const Hdf5Handle id{hdf5_check(H5Acreate_by_name(id_.id(), path.c_str(), attribute, type.id(), space.id(),
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                 "create an attribute"),
                      H5Aclose};
  hdf5_check(H5Awrite(id.id(), type.id(), value.data()), "write an attribute");
}

void Hdf5File::set_number(const std::string& path, const char* attribute, std::uint32_t value) {
  const Hdf5Guard guard;
  const Hdf5Handle space = space_of({}, nullptr);
  const Hdf5Handle id{hdf5_check(H5Acreate_by_name(id_.id(), path.c_str(), attribute, H5T_STD_U32LE, space.id(),
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                 "create an attribute"),
                      H5Aclose};
  hdf5_check(H5Awrite(id.id(), H5T_NATIVE_UINT32, &value), "write an attribute");
}

void Hdf5File::close() {
  const Hdf5Guard guard;
  const bool closed = id_.reset();
  file_.check();
  if (!closed) throw Error(ErrorCode::internal, "libhdf5 cannot close the file", {.file = file_.path().string()});
}

}  // namespace goldentrace
