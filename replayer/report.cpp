#include "replayer/report.h"

namespace goldentrace {

std::string_view name(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::bit_equal:
      return "bit-equal";
    case ReplayVerdict::within:
      return "within the gate";
    case ReplayVerdict::differs:
      return "differs";
    case ReplayVerdict::unsupported:
      return "unsupported";
  }
  return "";
}

int exit_code(const ReplayReport& report) {
  if (report.verdict == ReplayVerdict::unsupported) return 2;
  return report.verdict == ReplayVerdict::differs ? 1 : 0;
}

std::string describe(const ReplayedCall& call) {
  std::string text = "step " + std::to_string(call.step);
  if (call.micro != no_micro) text += " · micro " + std::to_string(call.micro);
  text += " · rank " + std::to_string(call.rank) + " · " + std::string(name(call.pass)) + " · " + call.layer;
  return call.call == 0 ? text : text + "#" + std::to_string(call.call);
}

}  // namespace goldentrace
