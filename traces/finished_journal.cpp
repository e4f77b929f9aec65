#include "traces/finished_journal.h"

#include <algorithm>
#include <set>

#include "traces/partial_file.h"
#include "traces/recording_state.h"

namespace goldentrace {

FinishedJournal::FinishedJournal(const std::filesystem::path& journal)
    : segment_(journal, TraceFile::Naming::any), records_(segment_.take_records()) {
  if (recording_of(journal) == Recording::running) refuse_recording({Recording::running, journal});
}

std::uint64_t FinishedJournal::steps() const {
  std::set<std::int64_t> steps;
  for (const Record& record : records_) steps.insert(record.id.step);
  return steps.size();
}

void FinishedJournal::verify(const std::function<void(std::uint64_t, std::uint64_t)>& progress) const {
  const std::uint64_t total = segment_.verify_bytes(records_);
  std::uint64_t done = 0;
  segment_.verify(records_, [&](std::uint64_t bytes) {
    done += bytes;
    if (progress) progress(done, total);
  });
}

void FinishedJournal::move_to(const std::filesystem::path& target) const {
  LockedFile file(segment_.file().path(), target);
  if (file.is_on_file_system_of(target)) return file.publish(target);
  copy_to(target);
  file.remove();
}

void FinishedJournal::copy_to(const std::filesystem::path& target) const {
  PartialFile copy(target);
  std::vector<std::byte> buffer(1 << 20);
  for (std::uint64_t at = 0; at < bytes(); at += buffer.size()) {
    const std::span part = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), bytes() - at));
    segment_.file().read(at, part);
    copy.write(at, part);
  }
  copy.publish();
}

}  // namespace goldentrace
