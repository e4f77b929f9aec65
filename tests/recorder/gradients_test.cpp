// Totals of outputs, shares of inputs and parameters.
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <thread>

#include "tests/recorder/recording.h"

namespace goldentrace {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

class GradientRecords : public RecorderTest {
 protected:
  static void backward(const at::Tensor& loss) { torch::autograd::backward({loss}, {}); }
  static bool bits_equal(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor x = a.contiguous(), y = b.contiguous();
    return x.sizes() == y.sizes() && x.nbytes() == y.nbytes() &&
           std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
  }
};

const std::string fwd = "0:0:0/forward/";
const std::string bwd = "0:0:0/backward/";

TEST_F(GradientRecords, OfATwoLayerModel) {
  const at::Tensor x = wave({4, 5}, 0.3);
  const at::Tensor w0 = wave_parameter({6, 5}, 0.37), b0 = wave_parameter({6}, 0.48), w1 = wave_parameter({3, 6}, 0.59);
  at::Tensor hidden;
  const Recorded trace = record([&](Recorder& recorder) {
    recorder.watch("l0.weight", w0);
    recorder.watch("l0.bias", b0);
    hidden = layer("l0", [&] { return at::linear(x, w0, b0); });
    const at::Tensor y = layer("l1", [&] { return at::linear(hidden, w1); });
    backward(at::mean(y));
  });
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "l0#0/param_grad.weight"), w0.grad()));
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "l0#0/param_grad.bias"), b0.grad()));
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "l1#0/param_grad.0"), w1.grad()));
  EXPECT_EQ(trace.record(bwd + "l1#0/grad_input.0").fingerprint.hash,
            trace.record(bwd + "l0#0/grad_output.0").fingerprint.hash);
  EXPECT_FALSE(trace.has(bwd + "l0#0/grad_input.0"));
  EXPECT_THAT(trace.producers(bwd + "l0#0/grad_output.0"), ElementsAre(bwd + "l1#0/grad_input.0"));
  EXPECT_THAT(trace.producers(bwd + "l1#0/grad_output.0"), ElementsAre(fwd + "loss#0/loss.0"));
  EXPECT_THAT(trace.producers(bwd + "l0#0/param_grad.weight"),
              IsSupersetOf({bwd + "l0#0/grad_output.0", fwd + "l0#0/input.0", fwd + "l0#0/param.weight"}));
  expect_replayable(trace);
}

// A residual: the total at the branching tensor, and each branch's own share.
TEST_F(GradientRecords, SharesOfABranchingTensor) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.5);
  const Recorded trace = record([&] {
    const at::Tensor h = layer("in", [&] { return at::mul(x, w); });
    const at::Tensor branch = layer("branch", [&] { return at::tanh(h); });
    backward(at::sum(at::add(h, branch)));
  });
  const at::Tensor total = trace.tensor(bwd + "in#0/grad_output.0"),
                   share = trace.tensor(bwd + "branch#0/grad_input.0");
  EXPECT_TRUE(bits_equal(total, at::add(at::ones({3}), share)));
  EXPECT_THAT(trace.producers(bwd + "in#0/grad_output.0"),
              ElementsAre(fwd + "loss#0/loss.0", bwd + "branch#0/grad_input.0"));
  expect_replayable(trace);
}

// A tied weight: each use's share; together the total.
TEST_F(GradientRecords, SharesOfATiedWeight) {
  const at::Tensor ids = at::tensor({1, 0, 2, 1}), w = wave_parameter({3, 4}, 0.37);
  const Recorded trace = record([&](Recorder& recorder) {
    recorder.watch("wte.weight", w);
    const at::Tensor h = layer("wte", [&] { return at::embedding(w, ids); });
    const at::Tensor logits = layer("lm_head", [&] { return at::linear(h, w); });
    backward(at::sum(at::tanh(logits)));
    recorder.update();
  });
  const at::Tensor first = trace.tensor(bwd + "lm_head#0/param_grad.wte.weight");
  const at::Tensor second = trace.tensor(bwd + "wte#0/param_grad.weight");
  EXPECT_TRUE(bits_equal(at::add(first, second), w.grad()));
  EXPECT_TRUE(bits_equal(trace.tensor("0:-:0/update/wte#0/param_grad.weight"), w.grad()));
  EXPECT_THAT(trace.producers("0:-:0/update/wte#0/param_grad.weight"),
              testing::UnorderedElementsAre(bwd + "lm_head#0/param_grad.wte.weight", bwd + "wte#0/param_grad.weight"));
  expect_replayable(trace);
}

// Several uses in one layer add up in the engine's order.
TEST_F(GradientRecords, SeveralUsesInOneLayer) {
  const at::Tensor x = wave({3, 4}, 0.3), w = wave_parameter({3, 4}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor h = layer("in", [&] { return at::mul(x, w); });
    const at::Tensor y = layer(
        "many", [&] { return at::add(at::add(at::mul(h, h), at::exp(h)), at::mul(at::sin(h), at::sum(h, 0, true))); });
    backward(at::sum(y));
  });
  EXPECT_EQ(trace.record(bwd + "many#0/grad_input.0").fingerprint.hash,
            trace.record(bwd + "in#0/grad_output.0").fingerprint.hash);
  expect_replayable(trace);
}

TEST_F(GradientRecords, EnclosingLabelsHaveSharesOfTheirOwn) {
  const at::Tensor x = wave({2, 3}, 0.3), w = wave_parameter({3, 3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor h = layer("in", [&] { return at::mul(x, 2).requires_grad_(); });
    const at::Tensor y = layer("block", [&] {
      const at::Tensor a = layer("block.a", [&] { return at::linear(h, w); });
      return at::add(a, at::tanh(h));
    });
    backward(at::sum(at::mul(y, y)));
  });
  EXPECT_THAT(trace.producers(bwd + "block#0/grad_input.0"), Contains(bwd + "block.a#0/grad_input.0"));
  EXPECT_THAT(trace.producers(bwd + "block.a#0/grad_output.0"), ElementsAre(bwd + "block#0/grad_output.0"));
  EXPECT_EQ(trace.record(bwd + "block.a#0/param_grad.0").fingerprint.hash,
            trace.record(bwd + "block#0/param_grad.0").fingerprint.hash);
  EXPECT_NE(trace.record(bwd + "block.a#0/grad_input.0").fingerprint.hash,
            trace.record(bwd + "block#0/grad_input.0").fingerprint.hash);
  expect_replayable(trace);
}

TEST_F(GradientRecords, SeveralOutputsAndUnusedOnes) {
  const at::Tensor x = wave({6}, 0.3), w = wave_parameter({6}, 0.37);
  const Recorded trace = record([&] {
    const auto parts = layer("split", [&] { return at::split(at::mul(x, w), 2); });
    const at::Tensor y = layer("use", [&] { return at::mul(parts[0], parts[2]); });
    backward(at::sum(y));
  });
  EXPECT_THAT(trace.ids(Role::grad_output),
              testing::UnorderedElementsAre(bwd + "use#0/grad_output.0", bwd + "split#0/grad_output.0",
                                            bwd + "split#0/grad_output.2"));
  EXPECT_EQ(trace.record(bwd + "split#0/grad_output.2").fingerprint.hash,
            trace.record(bwd + "use#0/grad_input.1").fingerprint.hash);
  expect_replayable(trace);
}

// D03: calls in backward carry the number of their forward.
TEST_F(GradientRecords, RepeatedCallsKeepTheirNumbers) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record([&] {
    at::Tensor h = x;
    for (int i = 0; i < 3; ++i) h = layer("l", [&] { return at::mul(h, w); });
    backward(at::sum(h));
  });
  EXPECT_THAT(
      trace.ids(Role::param_grad),
      testing::UnorderedElementsAre(bwd + "l#2/param_grad.0", bwd + "l#1/param_grad.0", bwd + "l#0/param_grad.0"));
  EXPECT_THAT(trace.ids(Role::grad_output),
              ElementsAre(bwd + "l#2/grad_output.0", bwd + "l#1/grad_output.0", bwd + "l#0/grad_output.0"));
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "l#2/grad_input.0"), trace.tensor(bwd + "l#1/grad_output.0")));
}

TEST_F(GradientRecords, InPlaceWritesOfTheNextLayer) {
  const at::Tensor x = at::tensor({1.f, -2.f, 3.f}), w = parameter({1, 1, 1}, {3});
  const Recorded trace = record([&] {
    at::Tensor h = layer("linear", [&] { return at::mul(x, w); });
    layer("relu", [&] { at::relu_(h); });
    backward(at::sum(h));
  });
  EXPECT_THAT(trace.values(bwd + "relu#0/grad_output.0"), ElementsAre(1, 1, 1));
  EXPECT_THAT(trace.values(bwd + "linear#0/grad_output.0"), ElementsAre(1, 0, 1));
  EXPECT_THAT(trace.values(bwd + "relu#0/grad_input.0"), ElementsAre(1, 0, 1));
  expect_replayable(trace);
}

TEST_F(GradientRecords, AnInputWrittenInPlaceIsReadAgain) {
  const at::Tensor x = at::tensor({1.f, -2.f, 3.f}), w = parameter({1, 1, 1}, {3});
  const Recorded trace = record([&] {
    at::Tensor h = layer("linear", [&] { return at::mul(x, w); });
    const at::Tensor y = layer("pool", [&] { return at::mul(at::relu_(h), h); });
    backward(at::sum(y));
  });
  EXPECT_THAT(trace.values(bwd + "pool#0/grad_input.0"), ElementsAre(2, 0, 6));
  EXPECT_THAT(trace.values(bwd + "linear#0/grad_output.0"), ElementsAre(2, 0, 6));
  expect_replayable(trace);
}

TEST_F(GradientRecords, WritesThroughViewsAreNoCustomFunctions) {
  const at::Tensor x = wave({4, 3}, 0.3), w = wave_parameter({4, 3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor h = layer("linear", [&] { return at::mul(x, w); });
    const at::Tensor y = layer("patch", [&] {
      at::Tensor copy = at::clone(h);
      copy.select(1, 0).copy_(copy.select(1, 1));
      copy.select(0, 1).mul_(2);
      return copy;
    });
    backward(at::sum(layer("last", [&] { return at::mul(y, y); })));
  });
  EXPECT_EQ(trace.record(bwd + "patch#0/grad_input.0").fingerprint.hash,
            trace.record(bwd + "linear#0/grad_output.0").fingerprint.hash);
  EXPECT_EQ(trace.call("patch").replayable, Replayable::bit_equal) << trace.call("patch").note;
  expect_replayable(trace);
}

TEST_F(GradientRecords, NoGradPartsHaveNone) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor frozen = layer("frozen", [&] {
      const at::NoGradGuard no_grad;
      return at::mul(x, w);
    });
    backward(at::sum(layer("live", [&] { return at::mul(frozen, w); })));
  });
  EXPECT_THAT(trace.ids(Role::param_grad), ElementsAre(bwd + "live#0/param_grad.0"));
  EXPECT_THAT(trace.ids(Role::grad_input), IsEmpty());
  EXPECT_FALSE(trace.tape("frozen").ops[0].grad_mode);
  expect_replayable(trace);
}

TEST_F(GradientRecords, BackwardOnAnotherThread) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor loss = at::sum(layer("l", [&] { return at::mul(x, w); }));
    std::thread([&] { backward(loss); }).join();
  });
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "l#0/param_grad.0"), w.grad()));
  EXPECT_TRUE(trace.has(fwd + "loss#0/loss.0"));
  expect_replayable(trace);
}

TEST_F(GradientRecords, ForwardOnOtherThreads) {
  const at::Tensor x = wave({64}, 0.3), w = wave_parameter({64}, 0.37);
  std::vector<at::Tensor> halves(2);
  const Recorded trace = record([&] {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] { halves[i] = layer(i == 0 ? "left" : "right", [&] { return at::mul(x, w); }); });
    }
    for (std::thread& thread : threads) thread.join();
    backward(at::sum(at::add(halves[0], halves[1])));
  });
  const at::Tensor left = trace.tensor(bwd + "left#0/param_grad.0"), right = trace.tensor(bwd + "right#0/param_grad.0");
  EXPECT_TRUE(bits_equal(at::add(left, right), w.grad()));
  expect_replayable(trace);
}

TEST_F(GradientRecords, ASecondBackwardIsNoted) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor loss = at::sum(layer("l", [&] { return at::mul(x, w); }));
    torch::autograd::backward({loss}, {}, true);
    torch::autograd::backward({loss}, {});
  });
  EXPECT_THAT(trace.ids(Role::param_grad), ElementsAre(bwd + "l#0/param_grad.0"));
  EXPECT_THAT(trace.reader().header(), Contains(testing::Key(testing::HasSubstr("second backward"))));
}

struct Square : torch::autograd::Function<Square> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return at::mul(x, x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {at::mul(at::mul(context->get_saved_variables()[0], 2), gradients[0])};
  }
};

TEST_F(GradientRecords, CustomFunctionsAreNamed) {
  const at::Tensor x = wave({3}, 0.3), w = wave_parameter({3}, 0.37);
  const Recorded trace = record([&] {
    const at::Tensor h = layer("in", [&] { return at::mul(x, w); });
    const at::Tensor y = layer("square", [&] { return at::add(Square::apply(h), 1); });
    const at::Tensor z = layer("last", [&] { return Square::apply(y); });
    backward(at::sum(z));
  });
  EXPECT_EQ(trace.call("in").replayable, Replayable::bit_equal) << trace.call("in").note;
  for (const char* name : {"square", "last"}) {
    EXPECT_EQ(trace.call(name).replayable, Replayable::unsupported);
    EXPECT_THAT(trace.call(name).note, testing::HasSubstr("Square"));
  }
  EXPECT_EQ(trace.record(bwd + "square#0/grad_input.0").fingerprint.hash,
            trace.record(bwd + "in#0/grad_output.0").fingerprint.hash);
}

// Activation checkpointing: the first pass keeps no graph, backward runs the block again.
class Checkpoint : public torch::autograd::Function<Checkpoint> {
 public:
  using Block = std::function<at::Tensor(const at::Tensor&)>;
  static Block block;
  static bool restores_random_state;

  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    context->saved_data["state"] = at::globalContext().defaultGenerator(at::kCPU).get_state();
    return block(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    if (restores_random_state) {
      at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
      generator.set_state(context->saved_data["state"].toTensor());
    }
    const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    at::AutoGradMode grad(true);
    const at::Tensor y = block(x);
    torch::autograd::backward({y}, {gradients[0]});
    return {x.grad()};
  }
};
Checkpoint::Block Checkpoint::block;
bool Checkpoint::restores_random_state = true;

TEST_F(GradientRecords, RecomputedLayersAreAPassOfTheirOwn) {
  const at::Tensor x = wave({3, 4}, 0.3), w = wave_parameter({3, 4}, 0.37), v = wave_parameter({4, 4}, 0.48);
  Checkpoint::block = [&](const at::Tensor& h) { return layer("block", [&] { return at::tanh(at::linear(h, v)); }); };
  const Recorded trace = record([&] {
    const at::Tensor h = layer("in", [&] { return at::mul(x, w); });
    const at::Tensor y = Checkpoint::apply(h);
    const at::Tensor z = layer("out", [&] { return at::mul(y, y); });
    backward(at::sum(z));
  });
  Checkpoint::block = nullptr;
  const std::string again = "0:0:0/recompute/block#0/";
  EXPECT_EQ(trace.record(again + "output.0").fingerprint.hash, trace.record(fwd + "block#0/output.0").fingerprint.hash);
  EXPECT_FALSE(trace.has(fwd + "block#1/output.0"));
  EXPECT_FALSE(trace.record(again + "input.0").external);
  EXPECT_THAT(trace.producers(again + "input.0"), ElementsAre(fwd + "in#0/output.0"));
  EXPECT_TRUE(bits_equal(trace.tensor(bwd + "block#0/param_grad.0"), v.grad()));
  EXPECT_THAT(trace.producers(bwd + "block#0/grad_output.0"), ElementsAre(bwd + "out#0/grad_input.0"));
  EXPECT_THAT(trace.producers(bwd + "in#0/grad_output.0"), ElementsAre(bwd + "block#0/grad_input.0"));
  expect_replayable(trace);
}

// Case C06: the recomputation draws another mask. One trace shows it.
TEST_F(GradientRecords, RecomputationWithoutRandomStateDiffers) {
  const at::Tensor w = at::ones({8}).requires_grad_();
  Checkpoint::block = [](const at::Tensor& h) { return layer("block", [&] { return at::dropout(h, 0.5, true); }); };
  for (const bool restores : {true, false}) {
    Checkpoint::restores_random_state = restores;
    at::manual_seed(1);
    const Recorded trace =
        record([&] { backward(at::sum(Checkpoint::apply(layer("in", [&] { return at::mul(w, 1); })))); });
    const Hash128 first = trace.record(fwd + "block#0/output.0").fingerprint.hash;
    const Hash128 again = trace.record("0:0:0/recompute/block#0/output.0").fingerprint.hash;
    EXPECT_EQ(first == again, restores);
  }
  Checkpoint::restores_random_state = true;
  Checkpoint::block = nullptr;
}

}  // namespace
}  // namespace goldentrace
