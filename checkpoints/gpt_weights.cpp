#include "checkpoints/gpt_weights.h"

#include <set>

#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

constexpr std::size_t most_names = 40;  // in one error line

std::string list_of(const std::string& title, const std::vector<std::string>& keys) {
  std::string text = std::to_string(keys.size()) + " " + title;
  for (std::size_t i = 0; i < keys.size() && i < most_names; ++i) text += (i == 0 ? ": " : ", ") + printable(keys[i]);
  return keys.size() > most_names ? text + ", …" : text;
}

std::string size_text(std::int64_t rows, std::int64_t columns, bool vector) {
  return vector ? shape_text(std::vector<std::int64_t>{rows}) : shape_text(std::vector<std::int64_t>{rows, columns});
}

void check_parameter(const ParameterShape& wanted, const StoredParameter& found, const ErrorPlace& place) {
  if (found.rows != wanted.rows || found.columns != wanted.columns || found.vector != wanted.vector)
    throw Error(ErrorCode::incomparable,
                "is " + size_text(found.rows, found.columns, found.vector) + ", the configuration needs " +
                    size_text(wanted.rows, wanted.columns, wanted.vector),
                place);
  if (dtype_class(found.dtype) != DTypeClass::floating)
    throw Error(ErrorCode::incomparable, "is " + std::string(name(found.dtype)) + ", no weight", place);
}

}  // namespace

std::string key_lists(const std::vector<std::string>& missing, const std::vector<std::string>& unexpected) {
  return list_of("missing", missing) + "; " + list_of("unexpected", unexpected);
}

StoredParameter parameter_of(const std::shared_ptr<TensorFile>& file, std::size_t tensor) {
  const StridedTensor& view = file->tensors()[tensor].view;
  if (view.shape.empty() || view.shape.size() > 2)
    throw Error(ErrorCode::incomparable, "is " + describe(view) + ", neither vector nor matrix",
                {.file = file->path().string(), .record = printable(file->tensors()[tensor].name)});
  const bool vector = view.shape.size() == 1;
  return {.dtype = view.dtype,
          .rows = view.shape[0],
          .columns = vector ? 1 : view.shape[1],
          .vector = vector,
          .matrix = [file, tensor] { return matrix_of(file->tensors()[tensor].view); },
          .check = [file, tensor] { file->check(tensor); }};
}

TensorSource source_of(const StoredParameter& parameter, const std::string& name) {
  std::vector<std::int64_t> shape{parameter.rows};
  if (!parameter.vector) shape.push_back(parameter.columns);
  return {.name = name,
          .dtype = parameter.dtype,
          .shape = std::move(shape),
          .write = [matrix = parameter.matrix, check = parameter.check](const ByteSink& sink) {
            if (check) check();
            stream_elements(matrix(), sink);
          }};
}

void check_parameters(const GptWeights& weights, const std::filesystem::path& path, std::vector<std::string> unexpected,
                      const std::function<std::string(const std::string&)>& name_of) {
  // A number out of a file: the list of what is missing must not grow with it.
  if (weights.shape.layers > static_cast<std::int64_t>(weights.parameters.size()))
    throw Error(ErrorCode::not_found,
                "is said to have " + std::to_string(weights.shape.layers) + " layers and holds " +
                    std::to_string(weights.parameters.size()) + " parameters",
                {.file = path.string(), .record = {}});
  const std::vector<ParameterShape> wanted = parameters_of(weights.shape);
  std::vector<std::string> missing;
  std::set<std::string_view> known;
  for (const ParameterShape& parameter : wanted) {
    known.insert(parameter.key);
    if (!weights.parameters.contains(parameter.key)) missing.push_back(name_of(parameter.key));
  }
  for (const auto& [key, parameter] : weights.parameters)
    if (!known.contains(key)) unexpected.push_back(name_of(key));
  if (!missing.empty() || !unexpected.empty())
    throw Error(ErrorCode::not_found, key_lists(missing, unexpected), {.file = path.string(), .record = {}});
  for (const ParameterShape& parameter : wanted)
    check_parameter(parameter, weights.parameters.at(parameter.key),
                    {.file = path.string(), .record = name_of(parameter.key)});
}

}  // namespace goldentrace
