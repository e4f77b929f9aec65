#include "recorder/layer_check.h"

#include <algorithm>

#include "recorder/kept_call.h"
#include "recorder/session.h"
#include "recorder/share.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

// Labels with a number of their own ("batch 17") never come again.
constexpr std::size_t most_layers = 4096;

}  // namespace

LayerCheck::LayerCheck(Session& session, SelfCheck mode) : session_(session), mode_(mode) {}
LayerCheck::~LayerCheck() = default;

KeptCall* LayerCheck::kept(const Call& call) {
  const auto found =
      std::find_if(calls_.begin(), calls_.end(), [&](const auto& each) { return each->call.get() == &call; });
  return found == calls_.end() ? nullptr : found->get();
}

void LayerCheck::entered(const std::shared_ptr<Call>& call) {
  if (mode_ == SelfCheck::none) return;
  if (!call->owns_log()) {
    for (const auto& outer : calls_) {
      if (encloses(outer->call.get(), call.get())) outer->inner.push_back(call);
    }
    return;
  }
  const std::string key = std::string(name(call->facts.pass)) + '/' + call->facts.layer;
  const bool is_new = seen_.size() < most_layers && seen_.insert(key).second;
  if (!is_new && mode_ == SelfCheck::first) return;
  auto kept = std::make_unique<KeptCall>();
  kept->call = call;
  kept->random_state = session_.random.last();
  calls_.push_back(std::move(kept));
}

void LayerCheck::keep_external(const Call& call, const External& external, const at::Tensor& tensor,
                               const Captured& captured) {
  KeptCall* kept = this->kept(call);
  if (kept == nullptr) return;
  KeptExternal& entry = kept->externals[{external.role, external.position}];
  entry.hash = captured.hash();
  if (external.role == Role::param) entry.parameter = tensor;
  if (!entry.parameter.defined()) entry.content = keep_bytes(captured.contents());
}

void LayerCheck::keep_output(const Call& call, std::int32_t position, const Captured& captured) {
  if (KeptCall* kept = this->kept(call)) kept->outputs[position] = captured.hash();
}

void LayerCheck::keep_grad_output(const Call& call, std::int32_t position, const Captured& captured) {
  if (KeptCall* kept = this->kept(call)) kept->grad_outputs[position] = keep_bytes(captured.contents());
}

void LayerCheck::keep_share(const Share& share, const Captured& captured) {
  KeptCall* kept = this->kept(*share.call);
  if (kept == nullptr) return;
  const Role role = share.role == Role::grad_input ? Role::input : Role::param;
  kept->shares[{role, share.position}] = captured.hash();
}

void LayerCheck::conclude(const KeptCall& call, Replayable verdict, const std::string& note) {
  TraceWriter& writer = session_.sink.writer();
  writer.set_replayable(call.call->row, verdict, note);
  for (const auto& inner : call.inner) {
    if (!inner->unsupported.empty()) {
      writer.set_replayable(inner->row, Replayable::unsupported, inner->unsupported);
    } else if (verdict == Replayable::bit_equal) {
      writer.set_replayable(inner->row, verdict, "as part of " + call.call->facts.layer);
    }
  }
}

void LayerCheck::stop() {
  mode_ = SelfCheck::none;
  calls_.clear();
}

void LayerCheck::run() {
  std::vector<std::unique_ptr<KeptCall>> calls;
  calls.swap(calls_);
  for (std::unique_ptr<KeptCall>& kept : calls) {
    if (kept->call->open) {
      calls_.push_back(std::move(kept));
      continue;
    }
    try {
      const std::string difference = difference_on_replay(*kept);
      conclude(*kept, difference.empty() ? Replayable::bit_equal : Replayable::differs, difference);
    } catch (const Error& error) {
      const bool changed = error.code() == ErrorCode::incomparable;
      conclude(*kept, changed ? Replayable::unchecked : Replayable::unsupported, error.what());
    }
    kept.reset();
  }
}

}  // namespace goldentrace
