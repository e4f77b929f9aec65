// Gradients at layer boundaries: totals of outputs from the nodes' own inputs, shares of inputs and parameters from
// post hooks on the nodes that send them out of the layer. Nothing is inserted into the graph.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "recorder/call.h"
#include "recorder/graph.h"
#include "recorder/moment.h"
#include "recorder/share.h"

namespace goldentrace {

struct Session;

// A tensor argument of an op.
struct OpArgument {
  at::Tensor tensor;
  TensorUid uid = 0;
  bool written = false;
  bool overwritten = false;  // written without being read
  bool viewed = false;       // the op only makes a view of it
  std::uint32_t version = 0;
  std::shared_ptr<Call> maker;  // before the op
};

// Not thread-safe: the session's lock is held around it, except where said otherwise.
class Gradients {
 public:
  explicit Gradients(Session& session) : session_(session) {}

  // Where the gradient of an external of `call` goes, as far as that is known before the op runs.
  static void note_edge(Call& call, TensorUid uid, const at::Tensor& tensor);
  // `tensor` is output number `position` of `call`, about to be read.
  void note_output(const std::shared_ptr<Call>& call, const CallOutput& output, const at::Tensor& tensor);
  // Hooks the nodes of an op where they send gradients out of `reader` and the calls around it.
  void op_finished(const std::shared_ptr<Call>& reader, const std::vector<OpArgument>& arguments,
                   const std::vector<at::Tensor>& results, const NodeRange& made);
  // A tensor that a recorded op made has since got another node, and no op made that: a custom autograd function.
  // Tapes of the layers that it is part of cannot replay its backward.
  void look_for_unseen_node(TensorInfo& info, const at::Tensor& tensor);
  // One-element results with a node: any of them may become the loss.
  void note_loss_candidates(const std::vector<at::Tensor>& results);

  // A backward node is about to run on this thread with `function.inputs()`.
  void node_started(const at::RecordFunction& function);
  void contribution(const std::shared_ptr<Share>& share, const at::Tensor& gradient);
  void task_finished(int task);
  // Backwards that ended with an exception on this thread leave their parts behind; they are dropped.
  void drop_broken_tasks();

  void forget_gone();  // between micro-batches
  void remove_hooks();

 private:
  struct Output {
    std::shared_ptr<Call> call;
    CallOutput output;
    std::uint32_t number = 0;
  };
  // What waits for a node to run.
  struct Target {
    std::weak_ptr<torch::autograd::Node> node;
    std::vector<std::weak_ptr<Share>> shares;
    std::vector<Output> outputs;
  };
  struct Hooked {
    std::weak_ptr<torch::autograd::Node> node;
    std::uintptr_t hook = 0;
  };
  struct LossCandidate {
    std::weak_ptr<torch::autograd::Node> node;
    WeakTensor tensor;
  };
  struct Task {
    int id = 0;
    int outermost = 0;  // the backward that it is nested in; itself when in none
    std::uint64_t thread = 0;
  };

  Target& target_of(const std::shared_ptr<torch::autograd::Node>& node);
  std::shared_ptr<Share> share_of(const std::shared_ptr<Call>& call, External& external,
                                  const std::shared_ptr<torch::autograd::Node>& receiver);
  void hook(const std::shared_ptr<torch::autograd::Node>& node, const std::vector<std::shared_ptr<Call>>& calls);
  const Task* find_task(int id) const;
  void begin_task(int id, const std::shared_ptr<torch::autograd::Node>& first);
  at::Tensor loss_of(const std::shared_ptr<torch::autograd::Node>& node) const;
  bool is_recorded(Call& call);
  void write_share(Share& share);
  void write_output(const Output& output, const at::Tensor& gradient);

  Session& session_;
  std::unordered_map<const torch::autograd::Node*, Target> targets_;
  std::list<Hooked> hooked_;
  std::vector<std::shared_ptr<Share>> pending_;  // shares with a sum
  std::vector<LossCandidate> losses_;
  std::vector<Task> tasks_;
  Moment moment_;
};

}  // namespace goldentrace
