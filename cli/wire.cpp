#include "cli/wire.h"

#include "cli/interrupt.h"

namespace goldentrace {
namespace {

void throw_if_over(const Watch& watch) {
  throw_if_interrupted();
  if (watch.ended && *watch.ended) throw RecordingEnded();
}

}  // namespace

Events wire(Recorder& recorder, const Watch& watch) {
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& value) { recorder.watch(name, value); };
  events.step = [&, watch](std::int64_t number) {
    throw_if_over(watch);
    if (watch.coverage) watch.coverage->steps.insert(number);
    recorder.step(number);
  };
  events.micro = [&, watch](std::int64_t number) {
    throw_if_over(watch);
    recorder.micro(number);
  };
  events.rank = [&](std::int64_t number) { recorder.rank(static_cast<std::int32_t>(number)); };
  events.input = [&](const std::string& name, const at::Tensor& value) { recorder.input(name, value); };
  events.loss = [&, watch](const at::Tensor& loss) {
    throw_if_over(watch);
    if (watch.plant) watch.plant->check_seen();
    recorder.loss(loss);
  };
  events.update = [&, watch] {
    throw_if_over(watch);
    recorder.update();
  };
  events.step_loss = [&](const at::Tensor& loss) { recorder.step_loss(loss); };
  events.alter = [watch](const std::string& layer, at::Tensor output) {
    throw_if_over(watch);
    if (watch.coverage) watch.coverage->layers.insert(layer);
    return watch.plant ? watch.plant->apply(layer, std::move(output)) : output;
  };
  return events;
}

}  // namespace goldentrace
