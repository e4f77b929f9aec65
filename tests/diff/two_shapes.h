// The same GPT as two traces: in Megatron's shape and, converted, in that of GPT-2. Values are made up (multiples of
// 1/64, so that sums are exact); what is right is their layout, their names and their dataflow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/diff/shape_values.h"

namespace goldentrace::testing {

struct TwoShapesOptions {
  std::int64_t layers = 2, heads = 2, head = 4, batch = 2, seq = 5, inner = 24, vocab = 11, padded = 11;
  std::int64_t hidden() const { return heads * head; }
};

// Changes a parameter of B: canonical name ("h.0.attn.c_attn.weight") and its value in B's layout.
using Fault = std::function<void(const std::string& name, Values& value)>;

class TwoShapes {
 public:
  using Options = TwoShapesOptions;

  explicit TwoShapes(const Options& options = {}, Fault fault = {}) : o_(options), fault_(std::move(fault)) {
    a.header = {{"model.shape", "megatron"},
                {"model.num_attention_heads", std::to_string(o_.heads)},
                {"model.apply_query_key_layer_scaling", "true"},
                {"model.layout", "pipe"}};
    b.header = {{"model.shape", "hf"}, {"model.n_head", std::to_string(o_.heads)}};
    embeddings();
    for (std::int64_t i = 0; i < o_.layers; ++i) block(i);
    head();
    updates();
  }

  // The right value of a parameter of B.
  Values value(const std::string& name, const Shape& shape) const {
    std::uint64_t state = content_hash(std::as_bytes(std::span(name))).low;
    Values result{shape, {}};
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      result.data.push_back(static_cast<float>(static_cast<std::int64_t>(state >> 33) % 127 - 63) / 64);
    }
    return result;
  }

  MemoryTrace a, b;

 private:
  struct Tap {
    std::int64_t a = -1, b = -1;
  };
  using Taps = std::vector<Tap>;
  using Change = std::function<Values(const Values&)>;

  static Values same(const Values& values) { return values; }

  static std::vector<std::int64_t> rows(const Taps& taps, std::int64_t Tap::*side) {
    std::vector<std::int64_t> result;
    for (const Tap& tap : taps) {
      if (tap.*side >= 0) result.push_back(tap.*side);
    }
    return result;
  }

  std::int32_t next(MemoryTrace& trace, const RecordId& id) {
    return positions_[(&trace == &a ? "a" : "b") + id.layer + std::string(name(id.role)) +
                      std::string(name(id.pass))]++;
  }

  std::int64_t add(MemoryTrace& trace, const RecordId& id, const Values& values,
                   const std::vector<std::int64_t>& from) {
    return trace.add(id, tensor(values), from, next(trace, id));
  }

  // A tensor on its way; empty layer: not there on that side. B's values part from A's once a fault was met.
  Tap record(const std::string& layer_a, const std::string& layer_b, Role role, const std::string& index,
             const Values& right, const Change& to_a, const Taps& from) {
    Tap tap;
    if (!layer_a.empty()) tap.a = add(a, id_of(layer_a, role, index), to_a(right), rows(from, &Tap::a));
    Values of_b = right;
    if (dirty_) {
      for (float& each : of_b.data) each += 0.25F;
    }
    if (!layer_b.empty()) tap.b = add(b, id_of(layer_b, role, index), of_b, rows(from, &Tap::b));
    if (tap.a < 0) tap.a = from.empty() ? -1 : from.front().a;
    if (tap.b < 0) tap.b = from.empty() ? -1 : from.front().b;
    return tap;
  }

  // `name`: B's full name. Recorded in every label of the list, A's and B's with their index; empty: not there.
  struct Place {
    std::string layer_a, index_a, layer_b, index_b;
  };
  Tap parameter(const std::string& name, const Shape& shape, const Change& to_a, const std::vector<Place>& places) {
    const Values right = value(name, shape);
    Values of_b = right;
    if (fault_) fault_(name, of_b);
    dirty_ = dirty_ || of_b.shape != right.shape || of_b.data != right.data;
    Tap tap;
    for (const Place& place : places) {
      if (!place.layer_a.empty()) tap.a = add(a, id_of(place.layer_a, Role::param, place.index_a), to_a(right), {});
      if (!place.layer_b.empty()) tap.b = add(b, id_of(place.layer_b, Role::param, place.index_b), of_b, {});
    }
    updated_.push_back({name, right, of_b, to_a, places.back(), tap});
    return tap;
  }

  Values padded(const Values& values) const {
    Values result = values;
    result.shape[0] = o_.padded;
    result.data.resize(static_cast<std::size_t>(element_count(result.shape)), 0);
    return result;
  }

  void embeddings() {
    const Shape hidden{o_.batch, o_.seq, o_.hidden()};
    std::vector<std::int64_t> ids(static_cast<std::size_t>(o_.batch * o_.seq));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(3 * i + 1) % o_.vocab;
    const Tensor tokens{DType::int64, {o_.batch, o_.seq}, bytes_of(ids)};
    for (MemoryTrace* trace : {&a, &b}) {
      trace->declare("ids", tokens);
      trace->declare("labels", tokens);
    }
    const auto to_padded = [this](const Values& values) { return padded(values); };
    const Tap words = parameter("wte.weight", {o_.vocab, o_.hidden()}, to_padded,
                                {{"embedding", "word_embeddings.weight", "", ""},
                                 {"embedding.word", "word_embeddings.weight", "wte", "weight"}});
    const Tap word = record("embedding.word", "wte", Role::output, "0", value("words", hidden), same, {words});
    const Tap positions = parameter("wpe.weight", {o_.seq, o_.hidden()}, same,
                                    {{"embedding.position", "position_embeddings.weight", "wpe", "weight"}});
    const Shape table{1, o_.seq, o_.hidden()};
    const Tap position =
        record("embedding.position", "wpe", Role::output, "0", value("positions", table), same, {positions});
    const Tap first = record("", "drop", Role::input, "0", value("words", hidden), same, {word});
    const Tap second = record("", "drop", Role::input, "1", value("positions", table), same, {position});
    x_ = record("embedding", "drop", Role::output, "0", value("drop", hidden), same, {first, second});
    x_value_ = "drop";
    const Tap entered = record("encoder.input", "", Role::input, "0", value("drop", hidden), same, {x_});
    x_ = record("encoder.input", "", Role::output, "0", value("drop", hidden), transposed, {entered});
    const Tap kept{x_.a, entered.b};
    x_ = kept;
  }

  // [rows of B: (3, n, d)] to A's (n, 3, d), along the first axis.
  Values per_head(const Values& values) const {
    Shape inner(values.shape.begin() + 1, values.shape.end());
    Shape split{3, o_.heads, o_.head};
    split.insert(split.end(), inner.begin(), inner.end());
    std::vector<std::size_t> axes{1, 0, 2};
    for (std::size_t i = 0; i < inner.size(); ++i) axes.push_back(3 + i);
    return reshaped(permuted(reshaped(values, split), axes), values.shape);
  }

  void block(std::int64_t number) {
    const std::string la = "layers." + std::to_string(number);
    const std::string lb = "h." + std::to_string(number);
    const Shape hidden{o_.batch, o_.seq, o_.hidden()};
    const auto at = [&](const std::string& tap, const Shape& shape) { return value(lb + "." + tap, shape); };
    const Values entering = value(x_value_, hidden);
    const Tap in = record(la, lb, Role::input, "0", entering, transposed, {x_});
    Tap x = norm(la, lb, "input_layernorm", "ln_1", entering, in);
    const Values normed = at("ln_1", hidden);
    const std::string aa = la + ".self_attention";
    const std::string ab = lb + ".attn";
    x = record(aa, ab, Role::input, "0", normed, transposed, {x});
    x = record(aa + ".query_key_value", ab + ".c_attn", Role::input, "0", normed, transposed, {x});
    const auto heads = [this](const Values& values) { return per_head(values); };
    const Change weight_to_a = [&](const Values& values) { return per_head(transposed(values)); };
    const Tap w = parameter(lb + ".attn.c_attn.weight", {o_.hidden(), 3 * o_.hidden()}, weight_to_a,
                            {{la, "self_attention.query_key_value.weight", lb, "attn.c_attn.weight"},
                             {aa, "query_key_value.weight", ab, "c_attn.weight"},
                             {aa + ".query_key_value", "weight", ab + ".c_attn", "weight"}});
    const Tap bias = parameter(lb + ".attn.c_attn.bias", {3 * o_.hidden()}, heads,
                               {{la, "self_attention.query_key_value.bias", lb, "attn.c_attn.bias"},
                                {aa, "query_key_value.bias", ab, "c_attn.bias"},
                                {aa + ".query_key_value", "bias", ab + ".c_attn", "bias"}});
    const Shape packed{o_.batch, o_.seq, 3 * o_.hidden()};
    const Change packed_to_a = [&](const Values& values) {
      const Values last_first = permuted(values, {2, 0, 1});
      return permuted(per_head(last_first), {2, 1, 0});
    };
    x = record(aa + ".query_key_value", ab + ".c_attn", Role::output, "0", at("c_attn", packed), packed_to_a,
               {x, w, bias});
    attention(number, x, in, entering);
  }

  void attention(std::int64_t number, const Tap& mixed, const Tap& in, const Values& entering) {
    const std::string la = "layers." + std::to_string(number);
    const std::string lb = "h." + std::to_string(number);
    const std::string aa = la + ".self_attention";
    const std::string ab = lb + ".attn";
    const Shape hidden{o_.batch, o_.seq, o_.hidden()};
    const Shape heads{o_.batch, o_.heads, o_.seq, o_.head};
    const Shape square{o_.batch, o_.heads, o_.seq, o_.seq};
    const auto at = [&](const std::string& tap, const Shape& shape) { return value(lb + "." + tap, shape); };
    const Change heads_to_a = [&](const Values& values) {
      return reshaped(permuted(values, {2, 0, 1, 3}), {o_.seq, o_.batch * o_.heads, o_.head});
    };
    const auto part = [&](const std::string& which) {
      const Tap entered = record(aa + "." + which, "", Role::input, "0", at(which, heads), heads_to_a, {mixed});
      return record(aa + "." + which, "", Role::output, "0", at(which, heads), heads_to_a, {entered});
    };
    const Tap query = part("query");
    const Tap key = part("key");
    const Tap value_tap = part("value");
    // B turns the key around before it reads the query.
    Tap q{record(aa + ".scores", "", Role::input, "0", at("query", heads), heads_to_a, {query}).a, -1};
    Tap k{record(aa + ".scores", "", Role::input, "1", at("key", heads), heads_to_a, {key}).a, -1};
    k.b = record("", ab + ".scores", Role::input, "0", at("key", heads), same, {key}).b;
    q.b = record("", ab + ".scores", Role::input, "1", at("query", heads), same, {query}).b;
    const float c = static_cast<float>(std::max<std::int64_t>(1, number));
    const Change divided = [c](Values values) {
      for (float& each : values.data) each /= c;
      return values;
    };
    Tap x = record(aa + ".scores", ab + ".scores", Role::output, "0", at("scores", square), divided, {q, k});
    x = record(aa + ".probs", ab + ".probs", Role::input, "0", at("scores", square), divided, {x});
    x = record(aa + ".probs", ab + ".probs", Role::output, "0", masked(at("probs", square)), same, {x});
    x = record(aa + ".attention_dropout", ab + ".attn_dropout", Role::input, "0", masked(at("probs", square)), same,
               {x});
    x = record(aa + ".attention_dropout", ab + ".attn_dropout", Role::output, "0", masked(at("probs", square)), same,
               {x});
    // A turns the value around before it reads the probabilities.
    Tap v{record(aa + ".context", "", Role::input, "0", at("value", heads), heads_to_a, {value_tap}).a, -1};
    Tap p{record(aa + ".context", "", Role::input, "1", masked(at("probs", square)), same, {x}).a, -1};
    p.b = record("", ab + ".context", Role::input, "0", masked(at("probs", square)), same, {x}).b;
    v.b = record("", ab + ".context", Role::input, "1", at("value", heads), same, {value_tap}).b;
    x = p;
    x = record(aa + ".context", ab + ".context", Role::output, "0", at("context", hidden), transposed, {x, v});
    x = record(aa + ".dense", ab + ".c_proj", Role::input, "0", at("context", hidden), transposed, {x});
    const Tap weight = parameter(lb + ".attn.c_proj.weight", {o_.hidden(), o_.hidden()}, transposed,
                                 {{la, "self_attention.dense.weight", lb, "attn.c_proj.weight"},
                                  {aa, "dense.weight", ab, "c_proj.weight"},
                                  {aa + ".dense", "weight", ab + ".c_proj", "weight"}});
    const Tap bias =
        parameter(lb + ".attn.c_proj.bias", {o_.hidden()}, same,
                  {{la, "self_attention.dense.bias", lb, "attn.c_proj.bias"},
                   {"", "", ab, "c_proj.bias"},
                   {la + ".attention_residual", la + ".self_attention.dense.bias", ab + ".c_proj", "bias"}});
    const Change before_bias = less(value(lb + ".attn.c_proj.bias", {o_.hidden()}));
    const Values projected = at("c_proj", hidden);
    x = record(aa + ".dense", ab + ".c_proj", Role::output, "0", projected, before_bias, {x, weight, bias});
    Tap out = record("", ab + ".resid_dropout", Role::output, "0", projected, same, {x});
    out = record(aa, ab, Role::output, "0", projected, before_bias, {{x.a, out.b}});
    const Tap first =
        record(la + ".attention_residual", lb + ".attention_residual", Role::input, "0", projected, before_bias, {out});
    const Tap second =
        record(la + ".attention_residual", lb + ".attention_residual", Role::input, "1", entering, transposed, {in});
    x = record(la + ".attention_residual", lb + ".attention_residual", Role::output, "0", at("sum", hidden), transposed,
               {first, second, bias});
    feed_forward(number, x);
  }

  // Zero above the diagonal, as a causal softmax leaves it; never zero elsewhere.
  Values masked(Values values) const {
    for (std::size_t i = 0; i < values.data.size(); ++i) {
      const auto column = static_cast<std::int64_t>(i) % o_.seq;
      const std::int64_t row = static_cast<std::int64_t>(i) / o_.seq % o_.seq;
      values.data[i] = column > row ? 0 : values.data[i] + 2;
    }
    return values;
  }

  // What A has where it adds the bias later, in its layout.
  static Change less(const Values& bias) {
    return [bias](Values values) {
      for (std::size_t i = 0; i < values.data.size(); ++i) values.data[i] -= bias.data[i % bias.data.size()];
      return transposed(values);
    };
  }

  Tap norm(const std::string& la, const std::string& lb, const std::string& name_a, const std::string& name_b,
           const Values& entering, const Tap& from) {
    const Tap in = record(la + "." + name_a, lb + "." + name_b, Role::input, "0", entering, transposed, {from});
    Taps taps{in};
    for (const std::string which : {"weight", "bias"}) {
      taps.push_back(parameter(lb + "." + name_b + "." + which, {o_.hidden()}, same,
                               {{la, name_a + "." + which, lb, name_b + "." + which},
                                {la + "." + name_a, which, lb + "." + name_b, which}}));
    }
    return record(la + "." + name_a, lb + "." + name_b, Role::output, "0", value(lb + "." + name_b, entering.shape),
                  transposed, taps);
  }

  void feed_forward(std::int64_t number, const Tap& sum) {
    const std::string la = "layers." + std::to_string(number);
    const std::string lb = "h." + std::to_string(number);
    const std::string ma = la + ".mlp";
    const std::string mb = lb + ".mlp";
    const Shape hidden{o_.batch, o_.seq, o_.hidden()};
    const Shape wide{o_.batch, o_.seq, o_.inner};
    const auto at = [&](const std::string& tap, const Shape& shape) { return value(lb + "." + tap, shape); };
    Tap x = norm(la, lb, "post_attention_layernorm", "ln_2", at("sum", hidden), sum);
    const Values normed = at("ln_2", hidden);
    x = record(ma, mb, Role::input, "0", normed, transposed, {x});
    x = record(ma + ".dense_h_to_4h", mb + ".c_fc", Role::input, "0", normed, transposed, {x});
    const Tap weight = parameter(lb + ".mlp.c_fc.weight", {o_.hidden(), o_.inner}, transposed,
                                 {{la, "mlp.dense_h_to_4h.weight", lb, "mlp.c_fc.weight"},
                                  {ma, "dense_h_to_4h.weight", mb, "c_fc.weight"},
                                  {ma + ".dense_h_to_4h", "weight", mb + ".c_fc", "weight"}});
    const Tap bias = parameter(lb + ".mlp.c_fc.bias", {o_.inner}, same,
                               {{la, "mlp.dense_h_to_4h.bias", lb, "mlp.c_fc.bias"},
                                {ma, "dense_h_to_4h.bias", mb, "c_fc.bias"},
                                {ma + ".activation", la + ".mlp.dense_h_to_4h.bias", mb + ".c_fc", "bias"}});
    const Change before_bias = less(value(lb + ".mlp.c_fc.bias", {o_.inner}));
    x = record(ma + ".dense_h_to_4h", mb + ".c_fc", Role::output, "0", at("c_fc", wide), before_bias,
               {x, weight, bias});
    x = record(ma + ".activation", mb + ".act", Role::input, "0", at("c_fc", wide), before_bias, {x});
    x = record(ma + ".activation", mb + ".act", Role::output, "0", at("act", wide), transposed, {x, bias});
    x = record(ma + ".dense_4h_to_h", mb + ".c_proj", Role::input, "0", at("act", wide), transposed, {x});
    const Tap back = parameter(lb + ".mlp.c_proj.weight", {o_.inner, o_.hidden()}, transposed,
                               {{la, "mlp.dense_4h_to_h.weight", lb, "mlp.c_proj.weight"},
                                {ma, "dense_4h_to_h.weight", mb, "c_proj.weight"},
                                {ma + ".dense_4h_to_h", "weight", mb + ".c_proj", "weight"}});
    const Tap back_bias = parameter(lb + ".mlp.c_proj.bias", {o_.hidden()}, same,
                                    {{"", "", lb + ".mlp", "c_proj.bias"},
                                     {"", "", mb + ".c_proj", "bias"},
                                     {la, "mlp.dense_4h_to_h.bias", lb, "mlp.c_proj.bias"}});
    const Change before_back = less(value(lb + ".mlp.c_proj.bias", {o_.hidden()}));
    const Values projected = at("mlp", hidden);
    x = record(ma + ".dense_4h_to_h", mb + ".c_proj", Role::output, "0", projected, before_back, {x, back, back_bias});
    Tap out = record("", mb + ".dropout", Role::output, "0", projected, same, {x});
    out = record(ma, mb, Role::output, "0", projected, before_back, {{x.a, out.b}});
    x_value_ = lb + ".out";
    x_ = record(la, lb, Role::output, "0", value(x_value_, hidden), transposed, {out, sum, back_bias});
  }

  void head() {
    const Shape hidden{o_.batch, o_.seq, o_.hidden()};
    const Values entering = value(x_value_, hidden);
    const Tap in = record("final_layernorm", "ln_f", Role::input, "0", entering, same, {x_});
    Taps taps{in};
    for (const std::string which : {"weight", "bias"}) {
      taps.push_back(parameter("ln_f." + which, {o_.hidden()}, same, {{"final_layernorm", which, "ln_f", which}}));
    }
    Tap x = record("final_layernorm", "ln_f", Role::output, "0", value("ln_f", hidden), same, taps);
    x = record("logits", "lm_head", Role::input, "0", value("ln_f", hidden), same, {x});
    const auto to_padded = [this](const Values& values) { return padded(values); };
    const Tap weight = parameter("lm_head.weight", {o_.vocab, o_.hidden()}, to_padded,
                                 {{"logits", "word_embeddings.weight", "lm_head", "transformer.wte.weight"}});
    const Change columns = [this](const Values& values) {
      return permuted(padded(permuted(values, {2, 0, 1})), {1, 2, 0});
    };
    const Values logits = value("logits", {o_.batch, o_.seq, o_.vocab});
    x = record("logits", "lm_head", Role::output, "0", logits, columns, {x, weight});
    x = record("loss", "loss", Role::input, "0", logits, columns, {x});
    record("loss", "loss", Role::loss, "0", value("loss", {}), same, {x});
  }

  struct Updated {
    std::string name;
    Values right, of_b;
    Change to_a;
    Place place;
    Tap tap;
  };

  // Gradients and values after the optimizer, in the innermost label that uses the parameter.
  void updates() {
    for (const Updated& each : updated_) {
      if (each.name == "lm_head.weight") continue;
      Place place = each.place;
      if (place.layer_b.starts_with("h.") && each.name.ends_with("mlp.c_proj.bias")) {
        place.layer_b += ".mlp.c_proj";
        place.index_b = "bias";
      }
      for (const Role role : {Role::param_grad, Role::param}) {
        const Values right = value(each.name + std::string(name(role)), each.right.shape);
        Values of_b = right;
        if (dirty_) {
          for (float& value : of_b.data) value += 0.25F;
        }
        RecordId id = id_of(place.layer_a, role, place.index_a, Pass::update);
        add(a, id, each.to_a(right), {each.tap.a});
        id = id_of(place.layer_b, role, place.index_b, Pass::update);
        add(b, id, of_b, {each.tap.b});
      }
    }
  }

  Options o_;
  Fault fault_;
  bool dirty_ = false;
  Tap x_;
  std::string x_value_;
  std::vector<Updated> updated_;
  std::map<std::string, std::int32_t> positions_;
};

}  // namespace goldentrace::testing
