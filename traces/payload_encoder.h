// Cuts a payload into frames and appends them to a journal, on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "traces/codec.h"
#include "traces/journal_content.h"
#include "traces/journal_writer.h"
#include "traces/record.h"

namespace goldentrace {

// The encoded content, whose frames (if it has any) are in the journal. `lock` is held around each append alone.
// Each thread keeps its buffers and its Zstandard context. Error(input_output) when the system refuses.
JournalContent append_frames(const Record& record, std::span<const std::byte> payload, Codec codec,
                             JournalWriter& journal, std::mutex& lock);

}  // namespace goldentrace
