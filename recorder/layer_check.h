// Replays each outermost layer once from what was recorded, and compares bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "recorder/call.h"
#include "recorder/record_sink.h"
#include "recorder/recorder.h"

namespace goldentrace {

struct Session;
struct Share;
struct KeptCall;

// Contents are kept only for the calls that will be checked, until they have been; parameters are read again from the
// program, which has not written them yet. Neither the generator's state nor any tensor of the program changes.
// Not thread-safe: the session's lock is held around it.
class LayerCheck {
 public:
  LayerCheck(Session& session, SelfCheck mode);
  ~LayerCheck();

  // Outermost calls are checked, `first`: those of layers not checked before. Inner ones share their verdict.
  void entered(const std::shared_ptr<Call>& call);
  void keep_external(const Call& call, const External& external, const at::Tensor& tensor, const Captured& captured);
  void keep_output(const Call& call, std::int32_t position, const Captured& captured);
  void keep_grad_output(const Call& call, std::int32_t position, const Captured& captured);
  void keep_share(const Share& share, const Captured& captured);

  // Checks the calls that are closed. After a backward, before parameters are written, or when a micro-batch ends;
  // never inside a backward.
  void run();
  void stop();  // what was not checked stays unchecked

 private:
  KeptCall* kept(const Call& call);
  void conclude(const KeptCall& call, Replayable verdict, const std::string& note);

  Session& session_;
  SelfCheck mode_;
  std::set<std::string> seen_;
  std::vector<std::unique_ptr<KeptCall>> calls_;
};

}  // namespace goldentrace
