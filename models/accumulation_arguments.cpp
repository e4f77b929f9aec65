#include "models/accumulation_arguments.h"

#include <c10/core/ScalarType.h>

#include <sstream>

#include "models/option_check.h"

namespace goldentrace {
namespace {

std::string numbered(const std::string& kind, std::size_t number) { return kind + ' ' + std::to_string(number); }

std::string form_of(const at::Tensor& tensor) {
  std::ostringstream text;
  text << c10::toString(tensor.scalar_type()) << ' ' << tensor.sizes();
  return text.str();
}

void check_iterable(const std::string& name, const at::Tensor& tensor) {
  require(tensor.defined(), name + " is no tensor");
  require(tensor.dim() > 0, name + " is a scalar: there is no leading dimension to go along");
  require(tensor.numel() > 0, name + " is empty");
}

void check_carried_result(const at::Tensor& now, const at::Tensor& before, const std::string& name) {
  require(now.defined(), name + " is no tensor");
  require(form_of(now) == form_of(before), name + " is " + form_of(now) + ", it was " + form_of(before));
}

}  // namespace

std::int64_t check_iterables(const std::vector<at::Tensor>& iterables) {
  require(!iterables.empty(), "gradient accumulation needs at least one iterable tensor");
  for (std::size_t i = 0; i < iterables.size(); ++i) {
    check_iterable(numbered("iterable", i), iterables[i]);
    require(iterables[i].size(0) == iterables[0].size(0),
            numbered("iterable", i) + " has leading size " + std::to_string(iterables[i].size(0)) +
                ", iterable 0 has " + std::to_string(iterables[0].size(0)));
  }
  return iterables[0].size(0);
}

void check_carried(const std::vector<at::Tensor>& carried) {
  for (std::size_t i = 0; i < carried.size(); ++i)
    require(carried[i].defined(), numbered("carried tensor", i) + " is no tensor");
}

void check_result(const std::vector<at::Tensor>& result, const std::vector<at::Tensor>& carried,
                  std::int64_t iteration) {
  const std::string place = " of iteration " + std::to_string(iteration);
  require(result.size() == carried.size() + 1, "train_step gives a loss and " + std::to_string(carried.size()) +
                                                   " carried tensors, not " + std::to_string(result.size()) +
                                                   " tensors");
  const at::Tensor& loss = result.front();
  require(loss.defined() && loss.numel() == 1, "the loss" + place + " is no tensor of one element");
  require(loss.requires_grad(), "the loss" + place + " depends on no parameter");
  for (std::size_t i = 0; i < carried.size(); ++i)
    check_carried_result(result[i + 1], carried[i], numbered("carried tensor", i) + place);
}

UnwrittenArguments::UnwrittenArguments(const std::vector<at::Tensor>& iterables, const std::vector<at::Tensor>& carried,
                                       const std::vector<at::Tensor>& parameters) {
  watch("iterable", iterables);
  watch("carried tensor", carried);
  watch("parameter", parameters);
}

void UnwrittenArguments::watch(const std::string& kind, const std::vector<at::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    watched_.push_back({numbered(kind, i), tensors[i], tensors[i]._version()});
}

void UnwrittenArguments::check(std::int64_t iteration) const {
  for (const Watched& each : watched_)
    require(each.tensor._version() == each.version, "train_step wrote " + each.name + " in place in iteration " +
                                                        std::to_string(iteration) +
                                                        "; it must leave what it is given as it is");
}

}  // namespace goldentrace
