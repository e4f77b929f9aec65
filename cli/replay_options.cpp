#include "cli/replay_options.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "cli/choice.h"
#include "cli/command_line.h"
#include "cli/number_option.h"

namespace goldentrace {
namespace {

const char* const examples =
    "Examples:\n"
    "  gtrace replay run.h5 --layer h.1.mlp --step 3             bit for bit, forward and backward\n"
    "  gtrace replay run.h5 --all                                every labelled layer and call\n"
    "  gtrace replay run.h5 --layer layers.2 --dtype float64     how far is float32 from the exact result\n"
    "  gtrace replay golden.h5 --layer layers.2 --inputs run.h5  the golden's layer on the other run's inputs\n\n";

void add_selection(CLI::App& app, ReplayCommandOptions& options) {
  auto* layer = app.add_option("--layer", options.layer, "The layer to run again");
  auto* all = app.add_flag("--all", options.all, "Every labelled layer and call");
  layer->type_name("LAYER")->excludes(all);
  integer_from(app.add_option("--step", options.step, "Only this step"), 0);
  integer_from(app.add_option("--micro", options.micro, "Only this micro-batch"), 0);
  integer_between(app.add_option("--rank", options.rank, "Only this rank"), 0,
                  std::numeric_limits<std::int32_t>::max());
  integer_between(app.add_option("--call", options.call, "Only this call of the layer"), 0,
                  std::numeric_limits<std::int32_t>::max());
  choice(app.add_option("--pass", options.pass, "Only this pass (default: both)"), {"forward", "backward"});
}

void add_change(CLI::App& app, ReplayCommandOptions& options) {
  choice(app.add_option("--dtype", options.dtype, "Run in this element type instead of the recorded one"),
         {"float64", "float32", "bfloat16", "float16"});
  choice(app.add_option("--device", options.device, "Where to run"), {"cpu"});
  app.add_option("--inputs", options.inputs, "Take inputs, parameters and random state from this trace")
      ->type_name("FILE");
  app.add_option("--tape-from", options.tape_from, "Take the ops from this trace")->type_name("FILE");
  number_above(app.add_option("--perturb", options.perturb, "Multiply every input element by 1 + EPS u, u in [-1, 1]"),
               0)
      ->type_name("EPS");
}

}  // namespace

void add_replay(CLI::App& app, ReplayCommandOptions& options) {
  app.description("Run layers of a trace again from the file alone and compare with what was recorded");
  app.add_option("trace", options.trace, "The trace")->required()->type_name("FILE");
  add_selection(app, options);
  add_change(app, options);
  choice(app.add_option("--gate", options.gate, "What counts as the same (default: bitwise, or rel with a change)"),
         {"bitwise", "allclose", "rel"});
  app.add_option("--dump", options.dump, "Write what was computed to this trace")->type_name("FILE");
  add_output_options(app, options.output);
  app.footer(examples + exit_code_help());
}

}  // namespace goldentrace
