#include "diff/gradient_shares.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "diff/relation/shard.h"

namespace goldentrace {

namespace {

constexpr double rounding = 1e-5;

double norm(const Sketch& sketch) {
  double square = 0;
  for (const double each : sketch) square += each * each;
  return std::sqrt(square);
}

void add(Sketch& sum, const Sketch& other, double factor) {
  if (sum.empty()) sum.assign(other.size(), 0);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * other[i];
}

class Shares {
 public:
  Shares(const TraceView& trace, std::int64_t row)
      : trace_(trace), total_(trace.sketch(row)), id_(trace.records[static_cast<std::size_t>(row)].id) {
    const RankGrid ranks(trace.header);
    const std::int32_t tensor = ranks.shard_of(id_).tensor;
    for (std::size_t at = 0; at < trace.records.size(); ++at) {
      const Record& record = trace.records[at];
      const RecordId& id = record.id;
      const bool share = id.role == Role::param_grad && id.pass == Pass::backward && id.step == id_.step &&
                         id.layer == id_.layer && id.index == id_.index && ranks.shard_of(id).tensor == tensor;
      if (!share) continue;
      const Sketch sketch = trace.sketch(static_cast<std::int64_t>(at));
      fits_ = fits_ && !sketch.empty() && sketch.size() == total_.size();
      if (!fits_) return;
      add(by_rank_[ranks.shard_of(id).data], sketch, 1);
      add(by_micro_[id.micro], sketch, 1);
      add(sum_, sketch, 1);
    }
  }

  std::optional<std::string> explain() const {
    if (!fits_ || sum_.empty() || total_.empty()) return std::nullopt;
    const double ranks = static_cast<double>(by_rank_.size());
    if (is(sum_, 1 / ranks)) return std::nullopt;
    if (by_rank_.size() > 1) {
      if (const auto text = explain_ranks(ranks)) return text;
    }
    if (by_micro_.size() > 1) return explain_micros(ranks);
    return std::nullopt;
  }

 private:
  // The total is `sketch` times `factor`.
  bool is(const Sketch& sketch, double factor) const {
    Sketch rest = total_;
    add(rest, sketch, -factor);
    return norm(rest) <= rounding * std::max(norm(total_), norm(sketch) * factor);
  }

  Sketch without(const Sketch& part) const {
    Sketch rest = sum_;
    add(rest, part, -1);
    return rest;
  }

  std::optional<std::string> explain_ranks(double ranks) const {
    const std::string number = std::to_string(by_rank_.size());
    if (is(sum_, 1))
      return "the gradients of " + number + " ranks are summed and not averaged, or reduced twice: ratio " + number +
             ".0 = ranks";
    if (is(sum_, 1 / (ranks * ranks)))
      return "the total is divided by the number of ranks twice: ratio 1/" + number + " = 1/ranks";
    for (const auto& [rank, share] : by_rank_) {
      const Sketch rest = without(share);
      if (is(rest, 1 / ranks) || is(rest, 1 / (ranks - 1)))
        return "the gradient of rank " + std::to_string(rank) + " is left out of the total";
      if (is(share, 1) || is(share, 1 / ranks))
        return "the total is that of rank " + std::to_string(rank) + " alone: not reduced over ranks";
    }
    return std::nullopt;
  }

  std::optional<std::string> explain_micros(double ranks) const {
    for (const auto& [micro, share] : by_micro_) {
      const std::string name = std::to_string(micro);
      if (is(without(share), 1 / ranks)) return "the gradient of micro-batch " + name + " is left out of the total";
      if (is(share, 1 / ranks)) return "the total is that of micro-batch " + name + " alone: not accumulated";
    }
    const double micros = static_cast<double>(by_micro_.size());
    if (is(sum_, 1 / (ranks * micros)))
      return "the total is divided by the " + std::to_string(by_micro_.size()) + " micro-batches once more";
    return std::nullopt;
  }

  const TraceView& trace_;
  Sketch total_;
  RecordId id_;
  Sketch sum_;
  std::map<std::int32_t, Sketch> by_rank_;
  std::map<std::int64_t, Sketch> by_micro_;
  bool fits_ = true;
};

}  // namespace

std::optional<std::string> explain_total(const TraceView& trace, std::int64_t row) {
  return Shares(trace, row).explain();
}

}  // namespace goldentrace
