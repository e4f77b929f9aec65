#include "cli/recording_facts.h"

#include <cctype>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "traces/printable.h"

namespace goldentrace {
namespace {

using Json = nlohmann::ordered_json;

std::string fact(const Header& header, const char* name) {
  const auto found = header.find(name);
  return found == header.end() ? "" : printable(found->second);
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What each rank says where they differ ("rank0.NAME"): by rank, empty when they do not.
std::map<std::int64_t, std::string> facts_of_ranks(const Header& header, const std::string& name) {
  std::map<std::int64_t, std::string> facts;
  for (auto entry = header.lower_bound("rank0"); entry != header.end() && entry->first.starts_with("rank"); ++entry) {
    const std::string& key = entry->first;
    if (key.ends_with("." + name) && std::isdigit(static_cast<unsigned char>(key[4])) != 0 &&
        key.find('.') == key.size() - name.size() - 1)
      facts[number(key.substr(4))] = printable(entry->second);
  }
  return facts;
}

std::int64_t count(const Header& header, const char* name) {
  std::int64_t sum = number(fact(header, name));
  for (const auto& [rank, text] : facts_of_ranks(header, name)) sum += number(text);
  return sum;
}

void append(std::string& text, const std::string& part) { text += (text.empty() ? "" : "; ") + part; }

std::string amount(std::int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

Json text_or_null(const Header& header, const char* name) {
  const std::string text = fact(header, name);
  return text.empty() ? Json(nullptr) : Json(text);
}

Json count_or_null(const Header& header, const char* name) {
  return header.contains(name) ? Json(count(header, name)) : Json(nullptr);
}

std::string counts(const Header& header) {
  std::string text;
  const std::int64_t dropped = count(header, "capture.dropped_payloads"), waits = count(header, "capture.waits");
  if (dropped > 0) append(text, amount(dropped, "payload") + " dropped because the pool was full");
  if (waits > 0) append(text, "waited " + amount(waits, "time") + " for room in the pool");
  if (header.contains("capture.golden")) {
    append(text,
           amount(count(header, "capture.differences"), "difference") + " from " + fact(header, "capture.golden"));
  }
  return text;
}

constexpr const char* unknown_end = "not said: it was cut short, or the last files of the run are missing";

// "complete", or how each rank ended where they ended differently.
std::string end_of(const Header& header) {
  const std::map<std::int64_t, std::string> ends = facts_of_ranks(header, "run.ended");
  if (ends.empty()) return fact(header, "run.ended");
  std::string text;
  for (const auto& [rank, end] : ends) append(text, "rank " + std::to_string(rank) + ": " + end);
  if (static_cast<std::int64_t>(ends.size()) < count(header, "ranks")) append(text, "other ranks: not said");
  return text;
}

}  // namespace

std::string recording_text(const Header& header) {
  if (!header.contains("capture.level")) return "";
  std::string text = fact(header, "capture.level");
  if (header.contains("capture.codec")) text += ", codec " + fact(header, "capture.codec");
  if (header.contains("capture.when_full")) text += ", when full " + fact(header, "capture.when_full");
  if (const std::string more = counts(header); !more.empty()) append(text, more);
  if (header.contains("capture.level_changes")) append(text, "levels " + fact(header, "capture.level_changes"));
  const std::string ended = end_of(header);
  append(text, "ended: " + (ended.empty() ? unknown_end : ended));
  return text;
}

std::string recording_remarks(const Header& header) {
  std::string text = counts(header);
  if (header.contains("recording.note.level file"))
    append(text, "level file: " + fact(header, "recording.note.level file"));
  const std::string ended = end_of(header);
  if (!ended.empty() && ended != "complete") append(text, ended);
  return text;
}

Json recording_json(const Header& header) {
  return {{"level", text_or_null(header, "capture.level")},
          {"codec", text_or_null(header, "capture.codec")},
          {"when_full", text_or_null(header, "capture.when_full")},
          {"waits", count_or_null(header, "capture.waits")},
          {"dropped_payloads", count_or_null(header, "capture.dropped_payloads")},
          {"level_changes", text_or_null(header, "capture.level_changes")},
          {"golden", text_or_null(header, "capture.golden")},
          {"differences", count_or_null(header, "capture.differences")},
          {"ended", end_of(header).empty() ? Json(nullptr) : Json(end_of(header))}};
}

}  // namespace goldentrace
