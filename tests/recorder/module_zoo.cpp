// LibTorch's own modules and habits of real programs, under labels; knows nothing of goldentrace. argv[1] names the
// part that runs; prints losses exactly.
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace {

using torch::Tensor;
namespace nn = torch::nn;

template <typename Body>
auto layer(const char* label, Body body) {
  RECORD_USER_SCOPE(label);
  return body();
}

void say(const Tensor& loss) { std::printf("%a\n", loss.item<double>()); }

void train(torch::optim::Optimizer& optimizer, const std::function<Tensor()>& forward) {
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = forward();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    say(loss);
  }
}

struct Images : nn::Module {
  nn::Conv2d conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)));
  nn::BatchNorm2d norm = register_module("norm", nn::BatchNorm2d(8));
  nn::MaxPool2d pool = register_module("pool", nn::MaxPool2d(2));
  nn::GroupNorm groups = register_module("groups", nn::GroupNorm(2, 8));
  nn::Linear head = register_module("head", nn::Linear(128, 4));

  Tensor forward(const Tensor& images) {
    Tensor x = layer("stem", [&] { return layer("stem.conv", [&] { return conv(images); }); });
    x = layer("norm", [&] { return norm(x); });
    x = layer("pool", [&] { return pool(torch::relu_(x)); });
    x = layer("groups", [&] { return torch::feature_dropout(groups(x), 0.2, is_training()); });
    return layer("head", [&] { return head(x.flatten(1)); });
  }
};

void images() {
  Images model;
  torch::optim::AdamW optimizer(model.parameters());
  const Tensor labels = torch::tensor({0, 1, 2, 3});
  train(optimizer, [&] { return torch::cross_entropy_loss(model.forward(torch::randn({4, 3, 8, 8})), labels); });
}

struct Sequences : nn::Module {
  nn::Embedding embedding = register_module("embedding", nn::Embedding(20, 32));
  nn::LSTM lstm = register_module(
      "lstm", nn::LSTM(nn::LSTMOptions(32, 16).num_layers(2).batch_first(true).dropout(0.1).bidirectional(true)));
  nn::GRU gru = register_module("gru", nn::GRU(nn::GRUOptions(32, 32).batch_first(true)));
  nn::MultiheadAttention attention =
      register_module("attention", nn::MultiheadAttention(nn::MultiheadAttentionOptions(32, 4).dropout(0.1)));
  nn::TransformerEncoderLayer encoder = register_module(
      "encoder", nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(64)));
  nn::Bilinear bilinear = register_module("bilinear", nn::Bilinear(32, 32, 8));

  Tensor forward(const Tensor& ids) {
    const Tensor embedded = layer("embedding", [&] { return embedding(ids); });
    const Tensor both = layer("lstm", [&] { return std::get<0>(lstm(embedded)); });
    const Tensor one = layer("gru", [&] { return std::get<0>(gru(both)); }).transpose(0, 1);
    const Tensor mixed = layer("attention", [&] { return std::get<0>(attention(one, one, one)); });
    const Tensor encoded = layer("encoder", [&] { return encoder(mixed + one); });
    const Tensor pair = layer("bilinear", [&] { return bilinear(encoded.mean(0), encoded.mean(0).flip(0)); });
    return layer("edit", [&] {
      Tensor copy = pair.clone();
      copy.masked_fill_(copy > 0.5, 0.5);
      copy.index_put_({torch::indexing::Slice(), 0}, 0.1);
      return torch::einsum("bi,bj->bij", {copy, copy});
    });
  }
};

void sequences() {
  Sequences model;
  torch::optim::RMSprop optimizer(model.parameters());
  train(optimizer, [&] { return model.forward(torch::randint(0, 20, {4, 16})).abs().mean(); });
}

// Weights are cast once for both layers and each call; the casts live outside the tapes of the later ones.
void autocast() {
  nn::Linear first(16, 32), second(32, 4);
  std::vector<Tensor> parameters = first->parameters();
  for (const Tensor& parameter : second->parameters()) parameters.push_back(parameter);
  torch::optim::SGD optimizer(parameters, 0.1);
  train(optimizer, [&] {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::increment_nesting();
    const Tensor h = layer("first", [&] { return torch::gelu(first(torch::randn({4, 16}))); });
    const Tensor y = layer("second", [&] { return second(h); });
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    return y.to(torch::kFloat).pow(2).mean();
  });
}

// Generation with a cache that is written in place.
void cache() {
  const torch::InferenceMode inference;
  nn::Linear project(8, 8);
  Tensor keys = torch::zeros({1, 6, 8}), x = torch::randn({1, 1, 8});
  for (int position = 0; position < 6; ++position) {
    const Tensor key = layer("project", [&] { return project(x); });
    x = layer("attend", [&] {
      keys.narrow(1, position, 1).copy_(key);
      const Tensor seen = keys.narrow(1, 0, position + 1);
      return torch::matmul(torch::softmax(torch::matmul(x, seen.transpose(1, 2)), -1), seen);
    });
  }
  say(x.sum());
}

// Two optimizers, a graph used twice, gradients of gradients, complex and double numbers.
void adversaries() {
  nn::Linear maker(4, 6), judge(6, 1);
  maker->to(torch::kDouble);
  judge->to(torch::kDouble);
  torch::optim::Adam of_maker(maker->parameters()), of_judge(judge->parameters());
  for (int step = 0; step < 2; ++step) {
    const Tensor made = layer("maker", [&] { return torch::tanh(maker(torch::randn({3, 4}, torch::kDouble))); });
    const Tensor real = torch::randn({3, 6}, torch::kDouble).requires_grad_();
    const Tensor truth = layer("judge", [&] { return judge(real); });
    const Tensor slope = torch::autograd::grad({truth.sum()}, {real}, {}, true, true)[0];
    const Tensor penalty = layer("penalty", [&] { return (slope.norm() - 1).pow(2) + truth.mean(); });
    of_judge.zero_grad();
    (penalty - layer("judge", [&] { return judge(made.detach()); }).mean()).backward();
    of_judge.step();
    of_maker.zero_grad();
    const Tensor loss = layer("judge", [&] { return judge(made); }).mean();
    loss.backward();
    of_maker.step();
    say(loss);
  }
  const Tensor spectrum = layer("spectrum", [&] { return torch::fft_rfft(torch::randn({8})); });
  say(layer("power", [&] { return torch::real(spectrum * spectrum.conj()).sum(); }));
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, void (*)()> parts = {{"images", images},
                                                   {"sequences", sequences},
                                                   {"autocast", autocast},
                                                   {"cache", cache},
                                                   {"adversaries", adversaries}};
  torch::manual_seed(3);
  parts.at(count > 1 ? arguments[1] : "images")();
}
