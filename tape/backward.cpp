#include "tape/backward.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <string>

#include "tape/failure.h"
#include "tape/gradient_sinks.h"
#include "traces/error.h"

namespace goldentrace {
namespace {

using torch::autograd::Edge;

struct Roots {
  torch::autograd::edge_list edges;
  torch::autograd::variable_list gradients;
};

bool is_sink(const Edge& edge, const GradientSinks& sinks) {
  return std::find(sinks.edges.begin(), sinks.edges.end(), edge) != sinks.edges.end();
}

void add_root(Roots& roots, const at::Tensor& output, const at::Tensor& total, const GradientSinks& sinks) {
  if (!total.defined() || !output.requires_grad()) return;
  const Edge edge = torch::autograd::impl::gradient_edge(output);
  if (is_sink(edge, sinks)) return;
  output.register_hook([total](const at::Tensor&) { return total; });
  if (std::find(roots.edges.begin(), roots.edges.end(), edge) != roots.edges.end()) return;
  roots.edges.push_back(edge);
  roots.gradients.push_back(total);
}

Roots roots_of(const TapeRun& run, const std::vector<at::Tensor>& grad_outputs) {
  if (grad_outputs.size() != run.outputs.size()) {
    throw Error(ErrorCode::internal, std::to_string(grad_outputs.size()) + " output gradients given for " +
                                         std::to_string(run.outputs.size()) + " outputs");
  }
  Roots roots;
  for (std::size_t i = 0; i < run.outputs.size(); ++i) add_root(roots, run.outputs[i], grad_outputs[i], *run.sinks);
  return roots;
}

torch::autograd::edge_list valid_edges(const GradientSinks& sinks) {
  torch::autograd::edge_list valid;
  std::copy_if(sinks.edges.begin(), sinks.edges.end(), std::back_inserter(valid),
               [](const Edge& edge) { return edge.is_valid(); });
  return valid;
}

std::vector<at::Tensor> per_external(const GradientSinks& sinks, const std::vector<at::Tensor>& captured) {
  std::vector<at::Tensor> gradients(sinks.edges.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (sinks.edges[i].is_valid()) gradients[i] = captured[next++];
  }
  return gradients;
}

}  // namespace

std::vector<at::Tensor> run_backward(const TapeRun& run, const std::vector<at::Tensor>& grad_outputs) {
  try {
    const Roots roots = roots_of(run, grad_outputs);
    const torch::autograd::edge_list sinks = valid_edges(*run.sinks);
    if (roots.edges.empty() || sinks.empty()) return std::vector<at::Tensor>(run.sinks->edges.size());
    auto& engine = torch::autograd::Engine::get_default_engine();
    return per_external(*run.sinks, engine.execute(roots.edges, roots.gradients, false, false, false, sinks));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    throw Error(ErrorCode::unsupported, "backward: " + one_line(exception));
  }
}

}  // namespace goldentrace
