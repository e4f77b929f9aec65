// Gates per layer, role and pass, read from a TOML file:
//
//   [[rule]]
//   layer = "h.*.mlp.act"          # a glob or a list of globs; left out: every layer
//   role = ["output", "param"]     # one or a list; left out: every role
//   pass = "forward"               # one or a list; left out: every pass
//   gate = "allclose"              # bitwise, allclose or rel; left out: the gate of the command line
//   atol = 1e-4                    # rtol, atol (allclose), rel (rel); refused where the gate is another
//   nan = "same"                   # same or differ
//
// The last rule that matches a record decides; what it leaves out comes from the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/gate.h"
#include "traces/record_id.h"

namespace goldentrace {

struct Rule {
  std::vector<std::string> layers;  // globs; empty: all
  std::vector<Role> roles;          // empty: all
  std::vector<Pass> passes;         // empty: all
  std::optional<GateKind> kind;
  std::optional<double> rtol, atol, rel;
  std::optional<NanPolicy> nan;
  int line = 0;  // of the file, for reports

  bool matches(const RecordId& id) const;
  Gate apply(Gate base) const;
};

struct Rules {
  std::filesystem::path path;
  std::vector<Rule> rules;

  // The last matching rule, or null.
  const Rule* find(const RecordId& id) const;
};

// Error(not_found, input_output) for the file, Error(usage) naming file and line for anything in it that is not
// understood, with the nearest word that is.
Rules read_rules(const std::filesystem::path& path);
Rules parse_rules(std::string_view text, const std::filesystem::path& path);

// Error(usage) naming file and line for a rule whose limit its gate does not read; a rule without a gate has that of
// the command line.
void refuse_unread_limits(const Rules& rules, GateKind of_command_line);

}  // namespace goldentrace
