#include "cli/wire.h"

#include "cli/interrupt.h"

namespace goldentrace {

Events wire(Recorder& recorder, Plant* plant, RunCoverage* coverage) {
  Events events;
  events.parameter = [&](const std::string& name, const at::Tensor& value) { recorder.watch(name, value); };
  events.step = [&, coverage](std::int64_t number) {
    throw_if_interrupted();
    if (coverage) coverage->steps.insert(number);
    recorder.step(number);
  };
  events.micro = [&](std::int64_t number) {
    throw_if_interrupted();
    recorder.micro(number);
  };
  events.input = [&](const std::string& name, const at::Tensor& value) { recorder.input(name, value); };
  events.loss = [&, plant](const at::Tensor& loss) {
    throw_if_interrupted();
    if (plant) plant->check_seen();
    recorder.loss(loss);
  };
  events.update = [&] {
    throw_if_interrupted();
    recorder.update();
  };
  events.step_loss = [&](const at::Tensor& loss) { recorder.step_loss(loss); };
  events.alter = [plant, coverage](const std::string& layer, at::Tensor output) {
    throw_if_interrupted();
    if (coverage) coverage->layers.insert(layer);
    return plant ? plant->apply(layer, std::move(output)) : output;
  };
  return events;
}

}  // namespace goldentrace
