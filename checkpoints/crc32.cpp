#include "checkpoints/crc32.h"

#include <array>
#include <cstring>

namespace goldentrace {
namespace {

constexpr std::uint32_t polynomial = 0xedb88320;
constexpr std::size_t lanes = 16;  // bytes per step: one table look-up each, independent of one another

using Tables = std::array<std::array<std::uint32_t, 256>, lanes>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    tables[0][i] = value;
  }
  for (std::size_t lane = 1; lane < lanes; ++lane)
    for (std::size_t i = 0; i < 256; ++i)
      tables[lane][i] = (tables[lane - 1][i] >> 8) ^ tables[0][tables[lane - 1][i] & 0xff];
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  std::array<std::uint8_t, lanes> block{};
  for (; bytes.size() >= lanes; bytes = bytes.subspan(lanes)) {
    std::memcpy(block.data(), bytes.data(), lanes);
    for (std::size_t i = 0; i < 4; ++i) block[i] ^= static_cast<std::uint8_t>(value >> (8 * i));
    value = 0;
    for (std::size_t i = 0; i < lanes; ++i) value ^= tables[lanes - 1 - i][block[i]];
  }
  for (const std::byte byte : bytes)
    value = (value >> 8) ^ tables[0][(value ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~value;
}

}  // namespace goldentrace
