#include "recorder/op_traits.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

namespace goldentrace {
namespace {

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 7> empty_ops = {
    "aten::empty",     "aten::empty_like",        "aten::empty_strided",  "aten::empty_permuted",
    "aten::new_empty", "aten::new_empty_strided", "aten::empty_quantized"};

constexpr std::array<std::string_view, 11> filling_ops = {
    "aten::copy_",      "aten::fill_",        "aten::zero_",      "aten::normal_", "aten::uniform_",   "aten::random_",
    "aten::bernoulli_", "aten::exponential_", "aten::geometric_", "aten::cauchy_", "aten::log_normal_"};

constexpr std::array<std::string_view, 3> collective_namespaces = {"c10d", "_c10d_functional", "goldentrace"};

constexpr std::array<std::string_view, 10> namespaces = {
    "aten", "prim", "prims", "quantized", "mkldnn", "_quantized", "sparse", "mkldnn_prepacked", "onednn", "xnnpack"};

std::string refusal_of(const std::string& name) {
  const std::string space = name.substr(0, name.find("::"));
  if (is_one_of(space, collective_namespaces)) return "collective over ranks";
  if (!is_one_of(space, namespaces)) return name + " is no op of LibTorch's own";
  if (name == "aten::set_") return name + " changes the memory under a tensor";
  return {};
}

bool aliases(const c10::AliasInfo* a, const c10::AliasInfo* b) {
  if (a == nullptr || b == nullptr) return false;
  return std::any_of(a->beforeSets().begin(), a->beforeSets().end(),
                     [&](const c10::Symbol& set) { return b->beforeSets().count(set) != 0; });
}

bool is_viewed(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  const auto& returns = schema.returns();
  return argument.alias_info() != nullptr && !argument.alias_info()->isWrite() &&
         std::any_of(returns.begin(), returns.end(),
                     [&](const c10::Argument& result) { return aliases(argument.alias_info(), result.alias_info()); });
}

// Batch norm writes its running statistics without its schema saying so.
std::ptrdiff_t training_flag(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  if (argument.name() != "running_mean" && argument.name() != "running_var") return -1;
  constexpr std::array<std::string_view, 3> flags = {"training", "train", "use_input_stats"};
  const auto& all = schema.arguments();
  const auto flag = std::find_if(all.begin(), all.end(), [&](const auto& a) { return is_one_of(a.name(), flags); });
  return flag == all.end() ? -1 : flag - all.begin();
}

ArgumentTraits traits_of(const c10::FunctionSchema& schema, std::size_t number) {
  const c10::Argument& argument = schema.arguments()[number];
  ArgumentTraits traits;
  traits.written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  traits.overwritten = traits.written && (argument.is_out() || (number == 0 && is_one_of(schema.name(), filling_ops)));
  traits.viewed = is_viewed(schema, argument);
  traits.written_if = traits.written ? -1 : training_flag(schema, argument);
  return traits;
}

std::unique_ptr<OpTraits> describe(const c10::OperatorName& name) {
  auto traits = std::make_unique<OpTraits>();
  traits->name = name.name;
  traits->overload = name.overload_name;
  traits->unfilled = is_one_of(name.name, empty_ops);
  traits->refusal = refusal_of(name.name);
  const auto op = c10::Dispatcher::singleton().findSchema(name);
  if (!op) return traits;
  const c10::FunctionSchema& schema = op->schema();
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) traits->arguments.push_back(traits_of(schema, i));
  traits->returns_nothing = schema.returns().empty();
  return traits;
}

// Keyed by the address of the schema's name, which is its own for each overload.
class Known {
 public:
  const OpTraits* find(const char* name) const {
    const std::shared_lock lock(mutex_);
    const auto found = traits_.find(name);
    return found != traits_.end() && found->second->name == name ? found->second.get() : nullptr;
  }

  const OpTraits* add(const char* name, std::unique_ptr<OpTraits> traits) {
    const std::unique_lock lock(mutex_);
    std::unique_ptr<OpTraits>& entry = traits_[name];
    if (entry) replaced_.push_back(std::move(entry));
    entry = std::move(traits);
    return entry.get();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const char*, std::unique_ptr<OpTraits>> traits_;
  std::vector<std::unique_ptr<OpTraits>> replaced_;
};

}  // namespace

const OpTraits* op_traits(const at::RecordFunction& function) {
  static Known& known = *new Known;  // outlives every thread
  const char* name = function.name();
  if (const OpTraits* traits = known.find(name)) return traits;
  const auto op = function.operator_name();
  if (!op || op->name.starts_with("profiler::")) return nullptr;
  return known.add(name, describe(*op));
}

}  // namespace goldentrace
