#include "traces/hdf5_driver.h"

#include <hdf5.h>

#include <limits>
#include <new>

#include "traces/journal_format.h"

namespace goldentrace {
namespace {

// libhdf5 sees the first member; the rest is ours.
struct DriverFile {
  H5FD_t base;
  DriverTarget* target;
  haddr_t end_of_addresses;
};

DriverFile& of(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& of(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<DriverTarget* const*>(H5Pget_driver_info(access));
  if (target == nullptr) return nullptr;
  auto* file = new (std::nothrow) DriverFile{};
  if (file != nullptr) file->target = *target;
  return reinterpret_cast<H5FD_t*>(file);
}

herr_t close_file(H5FD_t* file) {
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  if (of(a).target == of(b).target) return 0;
  return of(a).target < of(b).target ? -1 : 1;
}

// Raw data are never aggregated: each piece of them is a request of its own. Neither are metadata when the superblock
// lies apart from everything else.
herr_t query(const H5FD_t* file, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  const bool lies_apart = file != nullptr && of(file).target->begin > 0;
  if (!lies_apart) *flags |= H5FD_FEAT_AGGREGATE_METADATA;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).end_of_addresses = address;
  return 0;
}

// A file that libhdf5 has not begun is empty to it, whatever it holds: then libhdf5 makes a superblock.
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return of(file).end_of_addresses == 0 ? 0 : of(file).target->file->size();
}

// libhdf5's first request is for the superblock.
haddr_t allocate(H5FD_t* base, H5FD_mem_t type, hid_t, hsize_t size) {
  DriverFile& file = of(base);
  const DriverTarget& target = *file.target;
  if (type == H5FD_MEM_DRAW && target.placed_bytes == size) return target.placed_address;
  const haddr_t address = file.end_of_addresses;
  const bool is_superblock = address < target.begin;
  if (is_superblock && size > format::superblock_room) return HADDR_UNDEF;
  file.end_of_addresses = is_superblock ? target.begin : address + size;
  return address;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  return of(file).target->file->read(address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  DriverTarget& target = *of(file).target;
  if (type == H5FD_MEM_DRAW) {
    const bool is_placed = target.placed_bytes == size && target.placed_address == address;
    target.placed_bytes = 0;
    target.raw_address = address;
    target.raw_bytes = size;
    if (is_placed) return 0;
  }
  // A failure is kept by the file; libhdf5 goes on, so that it can close its books.
  target.file->write(address, {static_cast<const std::byte*>(buffer), size});
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  of(file).target->file->truncate(of(file).end_of_addresses);
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "goldentrace";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverTarget*);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.alloc = allocate;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  const H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
  for (int i = 0; i < H5FD_MEM_NTYPES; ++i) driver.fl_map[i] = free_lists[i];
  return driver;
}

}  // namespace

void use_driver(Hdf5Id access, DriverTarget& target) {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = hdf5_check(H5FDregister(&driver), "register the file driver");
  const DriverTarget* const pointer = &target;
  hdf5_check(H5Pset_driver(access, id, &pointer), "use the file driver");
}

}  // namespace goldentrace
