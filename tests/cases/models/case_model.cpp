// The cases' models as a plain program with labels, for `gtrace record -o F -- case_model …`; it knows no recorder.
//
//   case_model tiny [OPTION=VALUE…]             one step of TINY, with options of the GPT such as mask_rule=none
//   case_model mlp [micro_batches] [window]     the MLP
//   case_model write-tiny FILE [gelu]           TINY's weights as .safetensors, for `gtrace record gpt --load FILE`
#include <cstdio>
#include <string>
#include <vector>

#include "tests/cases/models/case_mlp.h"
#include "tests/cases/models/tiny.h"
#include "traces/error.h"

using namespace goldentrace;

namespace {

void print(const std::vector<double>& losses) {
  for (const double loss : losses) std::printf("loss %.6f\n", loss);
}

void run_tiny(const std::vector<std::string>& arguments) {
  GptOptions options = tiny_options();
  for (const std::string& text : arguments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw Error(ErrorCode::usage, text + " is no OPTION=VALUE");
    set_option(options.config, text.substr(0, equals), text.substr(equals + 1));
  }
  Events events;
  events.parameter = set_weights(tiny_weights());
  print(train_gpt(options, events).losses);
}

void run_mlp(const std::vector<std::string>& arguments) {
  CaseMlpOptions options;
  if (!arguments.empty()) options.micro_batches = std::stoll(arguments[0]);
  if (arguments.size() > 1) options.window = std::stoll(arguments[1]);
  print(train_case_mlp(options).losses);
}

void write_tiny(const std::vector<std::string>& arguments) {
  NamedTensors weights = tiny_weights();
  if (arguments.size() > 1 && arguments[1] == "gelu") spread_tiny_gelu(weights);
  write_tiny_checkpoint(arguments.at(0), weights);
}

void run(const std::vector<std::string>& arguments) {
  const std::string model = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (model == "tiny") return run_tiny(rest);
  if (model == "mlp") return run_mlp(rest);
  if (model == "write-tiny" && !rest.empty()) return write_tiny(rest);
  throw Error(ErrorCode::usage,
              "usage: case_model tiny [OPTION=VALUE…] | mlp [micro_batches] [window] | write-tiny FILE");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
