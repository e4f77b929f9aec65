#include "traces/rank_files.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "traces/error.h"
#include "traces/journal_format.h"
#include "traces/recording_state.h"
#include "traces/segment.h"
#include "traces/trace_segment.h"

namespace goldentrace {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// What lies between "run.rank" and ".h5": "3", or "3.0001" for a segment. -1 for anything else.
std::int64_t rank_in(const std::string& middle) {
  const std::string digits = middle.substr(0, middle.find('.'));
  if (!is_number(digits) || (digits.size() < middle.size() && !is_number(middle.substr(digits.size() + 1)))) return -1;
  std::int64_t rank = -1;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return failure == std::errc() && std::to_string(rank) == digits ? rank : -1;
}

// A number of at least `least`; -1 for anything else, and for what no rank can have.
std::int64_t count_in(const Header& header, const char* name, std::int64_t least) {
  const auto entry = header.find(name);
  if (entry == header.end() || !is_number(entry->second)) return -1;
  std::int32_t count = -1;
  const std::string& text = entry->second;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  return failure == std::errc() && count >= least ? count : -1;
}

// By its header; a file that cannot be read may be one.
bool is_rank(const fs::path& file) {
  try {
    return rank_name(TraceSegment(file).header()).has_value();
  } catch (const Error&) {
    return true;
  }
}

bool is_recorded_alone(const fs::path& run) {
  std::error_code ignored;
  return fs::exists(run, ignored) || recording_state(run).recording != Recording::none || !segments_of(run).empty() ||
         !segments_of(run, format::journal_suffix).empty();
}

void refuse_ranks_beside(const fs::path& run, const std::vector<std::int64_t>& ranks) {
  for (const std::int64_t rank : ranks) {
    const fs::path file = rank_path(run, rank);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored) || !is_rank(file)) continue;
    throw Error(ErrorCode::usage,
                "is there beside " + file.filename().string() +
                    ", a rank of another run of the same name; remove or rename the run that is not meant",
                {.file = run.string(), .record = {}});
  }
}

[[noreturn]] void refuse_missing(const fs::path& file, const std::string& how_many) {
  throw Error(ErrorCode::not_found, "this rank of the run is missing" + how_many + "; copy its file here",
              {.file = file.string(), .record = {}});
}

[[noreturn]] void refuse_foreign(const fs::path& file, const std::string& what) {
  throw Error(ErrorCode::damaged, what + "; remove or rename the files that are not meant",
              {.file = file.string(), .record = {}});
}

}  // namespace

std::optional<RankName> rank_name(const Header& header) {
  if (!header.contains("rank")) return std::nullopt;
  const auto text = [&header](const char* name) {
    const auto entry = header.find(name);
    return entry == header.end() ? std::string() : entry->second;
  };
  RankName name{.rank = count_in(header, "rank", 0), .ranks = count_in(header, "ranks", 1), .run = text("run.id")};
  if (name.rank < 0 || name.rank >= name.ranks)
    throw Error(ErrorCode::damaged,
                "damaged: its header says rank " + text("rank") + " of " + text("ranks") + ", which cannot be");
  return name;
}

fs::path rank_path(const fs::path& run, std::int64_t rank) {
  fs::path name = run.stem();
  name += ".rank" + std::to_string(rank);
  name += run.extension();
  return run.parent_path() / name;
}

std::vector<std::int64_t> ranks_of(const fs::path& run) {
  const std::string begin = run.stem().string() + ".rank", ending = run.extension().string();
  const std::string journal(format::journal_suffix);
  std::set<std::int64_t> ranks;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(run.has_parent_path() ? run.parent_path() : ".", ignored)) {
    std::string file = each.path().filename().string();
    if (file.ends_with(journal)) file.resize(file.size() - journal.size());
    if (!file.starts_with(begin) || !file.ends_with(ending) || file.size() < begin.size() + ending.size()) continue;
    const std::int64_t rank = rank_in(file.substr(begin.size(), file.size() - begin.size() - ending.size()));
    if (rank >= 0) ranks.insert(rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::vector<fs::path> traces_of_run(const fs::path& run) {
  const std::vector<std::int64_t> ranks = ranks_of(run);
  if (is_recorded_alone(run)) {
    refuse_ranks_beside(run, ranks);
    return {run};
  }
  if (ranks.empty()) return {run};
  std::vector<fs::path> traces;
  for (const std::int64_t rank : ranks) {
    const fs::path next = rank_path(run, static_cast<std::int64_t>(traces.size()));
    if (rank_path(run, rank) != next) refuse_missing(next, "");
    traces.push_back(next);
  }
  return traces;
}

void check_ranks(const fs::path& run, std::span<const std::optional<RankName>> names) {
  const auto file = [&run](std::size_t rank) { return rank_path(run, static_cast<std::int64_t>(rank)); };
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const std::optional<RankName>& name = names[rank];
    if (!name) refuse_foreign(file(rank), "is the trace of one process, no rank of " + run.filename().string());
    if (name->rank != static_cast<std::int64_t>(rank))
      refuse_foreign(file(rank), "is rank " + std::to_string(name->rank) + " by its header");
    if (name->run != names[0]->run || name->ranks != names[0]->ranks)
      refuse_foreign(file(rank), "belongs to another run than " + file(0).filename().string());
  }
  const auto ranks = static_cast<std::size_t>(names[0]->ranks);
  if (names.size() < ranks) refuse_missing(file(names.size()), ", one of " + std::to_string(ranks));
}

Header joined_header(std::span<const Header> ranks) {
  Header joined = ranks.front();
  std::erase_if(joined, [&ranks](const auto& entry) {
    return entry.first == "rank" || std::ranges::any_of(ranks, [&entry](const Header& header) {
             const auto own = header.find(entry.first);
             return own == header.end() || own->second != entry.second;
           });
  });
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const auto& [name, value] : ranks[rank])
      if (name != "rank" && !joined.contains(name)) joined.emplace("rank" + std::to_string(rank) + '.' + name, value);
  return joined;
}

}  // namespace goldentrace
