#include "recorder/gradients.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <unordered_set>

#include "recorder/session.h"
#include "recorder/share_hook.h"

namespace goldentrace {
namespace {

using torch::autograd::Node;

const CallEdge* find_edge(const Call& call, const Node* node, std::uint32_t number) {
  const auto edges = call.edges.find(node);
  if (edges == call.edges.end()) return nullptr;
  for (const CallEdge& edge : edges->second) {
    if (edge.number == number && edge.node.lock().get() == node) return &edge;
  }
  return nullptr;
}

std::vector<std::shared_ptr<Call>> with_enclosing(const std::shared_ptr<Call>& call) {
  std::vector<std::shared_ptr<Call>> calls;
  for (auto each = call; each; each = each->parent) calls.push_back(each);
  return calls;
}

}  // namespace

void Gradients::note_edge(Call& call, TensorUid uid, const at::Tensor& tensor) {
  if (!tensor.requires_grad()) return;
  const GraphEdge edge = present_edge(tensor);
  if (!edge.node || find_edge(call, edge.node.get(), edge.number) != nullptr) return;
  std::vector<CallEdge>& edges = call.edges[edge.node.get()];
  std::erase_if(edges, [](const CallEdge& old) { return old.node.expired(); });
  edges.push_back({edge.node, edge.number, uid});
}

Gradients::Target& Gradients::target_of(const std::shared_ptr<Node>& node) {
  Target& target = targets_[node.get()];
  if (target.node.lock() != node) target = Target{node, {}, {}};
  return target;
}

void Gradients::note_output(const std::shared_ptr<Call>& call, const CallOutput& output, const at::Tensor& tensor) {
  if (output.row < 0 || !tensor.requires_grad()) return;
  const GraphEdge edge = present_edge(tensor);
  if (!edge.node) return;
  const bool handed_through = call->externals.contains(output.uid);
  if (!handed_through && !call->made_node(edge.node->thread_id(), edge.node->sequence_nr())) return;
  target_of(edge.node).outputs.push_back({call, output, edge.number});
}

void Gradients::op_finished(const std::shared_ptr<Call>& reader, const std::vector<OpArgument>& arguments,
                            const std::vector<at::Tensor>& results, const NodeRange& made) {
  if (made.begin == made.end) return;
  reader->log->nodes.push_back(made);
  const auto calls = with_enclosing(reader);
  // Accumulators of leaves exist only now, and views of written bases have got a new node.
  for (const OpArgument& argument : arguments) {
    if (argument.written || !argument.tensor.requires_grad()) continue;
    for (const auto& call : calls) {
      // Written inside the call before, it has the edge of what was written.
      const bool as_it_came = argument.tensor.is_leaf() || !encloses(call.get(), argument.maker.get());
      if (as_it_came && call->externals.contains(argument.uid)) note_edge(*call, argument.uid, argument.tensor);
    }
  }
  std::vector<std::shared_ptr<Node>> open;
  std::unordered_set<const Node*> visited;
  for (const at::Tensor& result : results) {
    if (result.requires_grad()) open.push_back(present_edge(result).node);
  }
  while (!open.empty()) {
    const std::shared_ptr<Node> node = std::move(open.back());
    open.pop_back();
    if (!node || !made.contains(node->thread_id(), node->sequence_nr()) || !visited.insert(node.get()).second) continue;
    hook(node, calls);
    for (const auto& edge : node->next_edges()) open.push_back(edge.function);
  }
}

void Gradients::hook(const std::shared_ptr<Node>& node, const std::vector<std::shared_ptr<Call>>& calls) {
  auto shares = std::make_unique<ShareHook>(session_, *node);
  for (std::uint32_t i = 0; i < node->num_outputs(); ++i) {
    const auto& edge = node->next_edge(i);
    if (!edge.is_valid()) continue;
    for (const auto& call : calls) {
      const CallEdge* known = find_edge(*call, edge.function.get(), edge.input_nr);
      if (known == nullptr) continue;
      External& external = call->externals.at(known->uid);
      if (external.row >= 0) shares->add(i, share_of(call, external, edge.function));
    }
  }
  if (shares->empty()) return;
  hooked_.push_back({node, node->add_post_hook(std::move(shares))});
}

std::shared_ptr<Share> Gradients::share_of(const std::shared_ptr<Call>& call, External& external,
                                           const std::shared_ptr<Node>& receiver) {
  std::shared_ptr<Share> share = external.share.lock();
  if (!share) {
    share = std::make_shared<Share>();
    share->call = call;
    share->parameter = external.parameter;
    share->role = external.role == Role::input ? Role::grad_input : Role::param_grad;
    share->position = external.position;
    share->index = external.index;
    share->value_row = external.row;
    external.share = share;
  }
  std::vector<std::weak_ptr<Share>>& waiting = target_of(receiver).shares;
  const auto same = [&](const std::weak_ptr<Share>& other) { return other.lock() == share; };
  if (std::none_of(waiting.begin(), waiting.end(), same)) waiting.push_back(share);
  return share;
}

void Gradients::look_for_unseen_node(TensorInfo& info, const at::Tensor& tensor) {
  Node* node = present_node(tensor);
  if (node == info.node || node == nullptr || is_differentiable_view(tensor)) return;
  info.node = node;
  std::vector<std::shared_ptr<Call>> owners;
  for (const auto& call : with_enclosing(info.maker)) {
    if (call->root || call->released || !call->made_node(node->thread_id(), node->sequence_nr())) continue;
    if (call->log->made_node(node->thread_id(), node->sequence_nr())) continue;
    call->mark_unsupported("custom autograd function " + node->name() + ": its backward is not on the tape");
    session_.timeline.amend(*call);
    const bool is_new = call->unseen_nodes.emplace(node, node->weak_from_this()).second;
    if (is_new) owners.push_back(call);
  }
  if (!owners.empty()) hook(node->getptr(), owners);
}

void Gradients::note_loss_candidates(const std::vector<at::Tensor>& results) {
  for (const at::Tensor& result : results) {
    if (result.numel() != 1 || !result.requires_grad()) continue;
    const GraphEdge edge = present_edge(result);
    if (!edge.node) continue;
    std::erase_if(losses_, [](const LossCandidate& old) { return old.node.expired(); });
    losses_.push_back({edge.node, WeakTensor(result.getIntrusivePtr())});
  }
}

at::Tensor Gradients::loss_of(const std::shared_ptr<Node>& node) const {
  for (auto candidate = losses_.rbegin(); candidate != losses_.rend(); ++candidate) {
    if (candidate->node.lock() == node) return at::Tensor(candidate->tensor.lock());
  }
  return {};
}

const Gradients::Task* Gradients::find_task(int id) const {
  const auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.id == id; });
  return found == tasks_.end() ? nullptr : &*found;
}

void Gradients::begin_task(int id, const std::shared_ptr<Node>& first) {
  if (find_task(id) != nullptr) return;
  const std::uint64_t thread = at::RecordFunction::currentThreadId();
  const auto around =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) { return task.thread == thread; });
  const bool nested = around != tasks_.end();
  tasks_.push_back({id, nested ? around->outermost : id, thread});
  const std::uint64_t generation = session_.generation;
  torch::autograd::Engine::get_default_engine().queue_callback([generation, id] {
    Session* session = active_session();
    if (session == nullptr || session->generation != generation) return;
    guarded(*session, [&] { session->gradients.task_finished(id); });
  });
  if (nested) return;
  session_.timeline.abandon_open_labels();
  session_.timeline.backward_begins(loss_of(first));
}

void Gradients::node_started(const at::RecordFunction& function) {
  const int task = torch::autograd::get_current_graph_task_id();
  const std::shared_ptr<Node> node = torch::autograd::get_current_node();
  if (task < 0 || !node) return;
  begin_task(task, node);
  const auto found = targets_.find(node.get());
  if (found == targets_.end() || found->second.node.lock() != node) return;
  for (const std::weak_ptr<Share>& waiting : found->second.shares) {
    if (const auto share = waiting.lock()) write_share(*share);
  }
  moment_.clear();
  // Outermost layer first: an inner output's gradient comes from the outer one's.
  const auto inputs = function.inputs();
  const std::vector<Output>& outputs = found->second.outputs;
  for (auto output = outputs.rbegin(); output != outputs.rend(); ++output) {
    if (output->number < inputs.size() && inputs[output->number].isTensor()) {
      write_output(*output, inputs[output->number].toTensor());
    }
  }
  moment_.clear();
  if (!outputs.empty() && !torch::autograd::get_current_graph_task_keep_graph()) found->second.outputs.clear();
}

// One call has one set of gradients: those of the first backward that reaches it.
bool Gradients::is_recorded(Call& call) {
  const Task* task = find_task(torch::autograd::get_current_graph_task_id());
  if (task == nullptr) return false;
  if (call.backward < 0) {
    call.backward = task->outermost;
    const auto* wanted = torch::autograd::get_current_graph_task_exec_info();
    call.partial_backward = wanted != nullptr && !wanted->empty();
  }
  if (call.backward == task->outermost) return true;
  session_.sink.note("gradients of a second backward through a layer not recorded");
  return false;
}

void Gradients::contribution(const std::shared_ptr<Share>& share, const at::Tensor& gradient) {
  if (!is_recorded(*share->call)) return;
  if (!share->sum.defined()) pending_.push_back(share);
  share->add(gradient);
}

void Gradients::write_share(Share& share) {
  if (!share.sum.defined()) return;
  const at::Tensor sum = std::move(share.sum);
  share.sum = at::Tensor();
  std::erase_if(pending_, [&](const std::shared_ptr<Share>& other) { return other.get() == &share; });
  if (!has_plain_memory(sum)) return session_.sink.note("gradients of layout other than strided not recorded");
  const Captured& captured = moment_.capture(session_.sink, sum);
  Record record;
  record.id = session_.timeline.id_in(*share.call, share.role, share.index);
  record.position = share.position;
  record.producers = session_.sink.lineage().gradient_producers(share.value_row);
  merge(record.producers, share.call->value_rows);
  const std::int64_t row = session_.sink.add(std::move(record), captured);
  if (row < 0) return;
  session_.sink.lineage().set_gradient(share.value_row, row);
  if (share.parameter) {
    merge(share.parameter->shares, {row});
    share.parameter->gradient = captured.content;
  }
  session_.layer_check.keep_share(share, captured);
}

void Gradients::write_output(const Output& output, const at::Tensor& gradient) {
  if (!gradient.defined() || !is_recorded(*output.call)) return;
  if (!has_plain_memory(gradient)) return session_.sink.note("gradients of layout other than strided not recorded");
  const Captured& captured = moment_.capture(session_.sink, gradient);
  Lineage& lineage = session_.sink.lineage();
  Record record;
  record.id = session_.timeline.id_in(*output.call, Role::grad_output, std::to_string(output.output.position));
  record.position = output.output.position;
  record.producers = lineage.gradient_producers(output.output.row);
  if (record.producers.empty() && output.call->facts.pass == Pass::recompute) {
    record.producers =
        lineage.gradient_producers_of_repeated(session_.timeline.id_in(*output.call, Role::output, record.id.index));
  }
  const std::int64_t row = session_.sink.add(std::move(record), captured);
  if (row < 0) return;
  lineage.set_gradient(output.output.row, row);
  // Handed through: the gradient of the output is that of the input.
  const auto input = output.call->externals.find(output.output.uid);
  if (input != output.call->externals.end()) lineage.set_gradient(input->second.row, row);
  session_.layer_check.keep_grad_output(*output.call, output.output.position, captured);
}

// Shares whose receiver did not run: a gradient that was asked for is kept, not accumulated.
void Gradients::task_finished(int id) {
  const Task* task = find_task(id);
  const bool outermost = task != nullptr && task->outermost == id;
  std::erase_if(tasks_, [&](const Task& each) { return each.id == id; });
  if (!outermost) return;
  const std::vector<std::shared_ptr<Share>> waiting = pending_;
  for (const auto& share : waiting) {
    if (share->call->backward == id) write_share(*share);
  }
  moment_.clear();
}

void Gradients::drop_broken_tasks() {
  const std::uint64_t thread = at::RecordFunction::currentThreadId();
  for (const Task& task : tasks_) {
    if (task.thread != thread) continue;
    std::erase_if(pending_, [&](const std::shared_ptr<Share>& share) {
      if (share->call->backward != task.outermost) return false;
      share->sum = at::Tensor();
      return true;
    });
  }
  std::erase_if(tasks_, [&](const Task& task) { return task.thread == thread; });
}

void Gradients::forget_gone() {
  std::erase_if(targets_, [](const auto& target) { return target.second.node.expired(); });
  // Accumulators may live as long as their parameters.
  for (auto& [node, target] : targets_) {
    std::erase_if(target.shares, [](const std::weak_ptr<Share>& share) { return share.expired(); });
  }
  std::erase_if(losses_, [](const LossCandidate& loss) { return loss.node.expired(); });
  hooked_.remove_if([](const Hooked& hooked) { return hooked.node.expired(); });
}

void Gradients::remove_hooks() {
  for (const Hooked& hooked : hooked_) {
    if (const auto node = hooked.node.lock()) node->del_post_hook(hooked.hook);
  }
  hooked_.clear();
  targets_.clear();
  pending_.clear();
}

}  // namespace goldentrace
