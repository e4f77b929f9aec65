// The checksum of zip archives: CRC-32, polynomial 0xedb88320 reflected (ISO 3309).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace goldentrace {

// Of `bytes`, continuing from the value of the bytes before them.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace goldentrace
