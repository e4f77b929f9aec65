#include "diff/micro_order.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace goldentrace {

namespace {

using Step = std::pair<std::int64_t, std::int32_t>;
using Content = std::vector<std::pair<std::string, Hash128>>;  // of all declared inputs, by name
using Micros = std::map<std::int64_t, Content>;

std::map<Step, Micros> declared(const TraceView& trace) {
  std::map<Step, Micros> result;
  for (const Record& record : trace.records) {
    const RecordId& id = record.id;
    if (!record.declared || id.micro == no_micro) continue;
    result[{id.step, id.rank}][id.micro].emplace_back(id.index, record.fingerprint.hash);
  }
  for (auto& [step, micros] : result) {
    for (auto& [micro, content] : micros) std::ranges::sort(content, {}, &Content::value_type::first);
  }
  return result;
}

// A's number of each of B's; nothing where they are not the same ones, or have their numbers already.
std::optional<std::map<std::int64_t, std::int64_t>> numbers_of(const Micros& a, const Micros& b) {
  if (a.size() != b.size() || a == b) return std::nullopt;
  std::map<std::int64_t, std::int64_t> numbers;
  Micros left = a;
  for (const auto& [micro, content] : b) {
    const auto found = std::ranges::find(left, content, &Micros::value_type::second);
    if (found == left.end()) return std::nullopt;
    numbers[micro] = found->first;
    left.erase(found);
  }
  return numbers;
}

}  // namespace

MicroOrder::MicroOrder(const TraceView& a, const TraceView& b) : trace_(b), view_(b) {
  const std::map<Step, Micros> of_a = declared(a);
  for (const auto& [step, micros] : declared(b)) {
    const auto others = of_a.find(step);
    if (others == of_a.end()) continue;
    if (auto numbers = numbers_of(others->second, micros)) numbers_[step] = std::move(*numbers);
  }
  if (!numbers_.empty()) renumber();
}

void MicroOrder::renumber() {
  const auto set = [this](std::int64_t step, std::int32_t rank, std::int64_t& micro) {
    const auto found = numbers_.find({step, rank});
    if (found == numbers_.end()) return;
    const auto number = found->second.find(micro);
    if (number != found->second.end()) micro = number->second;
  };
  records_.assign(trace_.records.begin(), trace_.records.end());
  for (Record& record : records_) set(record.id.step, record.id.rank, record.id.micro);
  calls_.assign(trace_.calls.begin(), trace_.calls.end());
  for (LayerCall& call : calls_) set(call.step, call.rank, call.micro);
  view_.records = records_;
  view_.calls = calls_;
}

std::string MicroOrder::note() const {
  if (numbers_.empty()) return "";
  const auto& [step, numbers] = *numbers_.begin();
  std::string order;
  for (const auto& [micro, number] : numbers) order += (order.empty() ? "" : ", ") + std::to_string(number);
  std::string text =
      "micro-batches of B in another order, by their inputs: " + order + " in step " + std::to_string(step.first);
  if (step.second > 0) text += " on rank " + std::to_string(step.second);
  if (numbers_.size() > 1) text += " and " + std::to_string(numbers_.size() - 1) + " more";
  return text;
}

}  // namespace goldentrace
