// The parts of the zip format that torch.save uses: stored entries, zip64 (PKWARE's APPNOTE 6.3.3, sections 4.3 and
// 4.5.3). All numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace goldentrace::zip {

inline constexpr std::uint32_t local_signature = 0x04034b50;
inline constexpr std::uint32_t central_signature = 0x02014b50;
inline constexpr std::uint32_t end_signature = 0x06054b50;
inline constexpr std::uint32_t end64_signature = 0x06064b50;
inline constexpr std::uint32_t locator64_signature = 0x07064b50;

inline constexpr std::size_t local_size = 30;    // before name and extra field
inline constexpr std::size_t central_size = 46;  // before name, extra field and comment
inline constexpr std::size_t end_size = 22;      // before the comment
inline constexpr std::size_t end64_size = 56;
inline constexpr std::size_t locator64_size = 20;
inline constexpr std::size_t longest_comment = 0xffff;

inline constexpr std::uint16_t extra_zip64 = 0x0001;
inline constexpr std::uint16_t extra_padding = 0x4246;  // "FB": bytes that move the data to an aligned place
inline constexpr std::size_t data_alignment = 64;       // of torch.save
inline constexpr std::uint16_t method_stored = 0;
inline constexpr std::uint16_t flag_encrypted = 1;
inline constexpr std::uint16_t version_zip64 = 45;

inline constexpr std::uint16_t in_zip64_16 = 0xffff;  // "see the zip64 field"
inline constexpr std::uint32_t in_zip64_32 = 0xffffffff;

}  // namespace goldentrace::zip
