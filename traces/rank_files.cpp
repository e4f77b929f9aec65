#include "traces/rank_files.h"

#include <charconv>
#include <set>
#include <string>

#include "traces/journal_format.h"

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

}  // namespace

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

}  // namespace goldentrace
