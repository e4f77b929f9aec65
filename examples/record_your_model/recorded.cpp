#include <recorder/recorder.h>
#include <traces/error.h>

#include <iostream>

#include "model.h"

int main(int count, char** arguments) {
  try {
    goldentrace::RecorderOptions options;
    options.output = count > 1 ? arguments[1] : "recorded.h5";
    goldentrace::Recorder recorder(options);
    train([&](const torch::nn::Module& model) { recorder.watch(model); });  // names for the parameters
    recorder.close();
  } catch (const goldentrace::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
