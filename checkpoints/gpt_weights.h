// The weights of one GPT in canonical form, whatever the checkpoint: one tensor-parallel rank, Megatron's names, linear
// weights [out, in], rows of query_key_value by group as (queries, key, value), vocabulary without padding.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoints/gpt_shape.h"
#include "checkpoints/matrix.h"
#include "checkpoints/tensor_file.h"
#include "checkpoints/torch_writer.h"

namespace goldentrace {

struct StoredParameter {
  DType dtype = DType::none;
  std::int64_t rows = 0, columns = 0;
  bool vector = false;
  // Makes the matrix when it is needed: the list of its pieces can be long.
  std::function<Matrix()> matrix;
  // Error(damaged) for wrong checksums, for copies that differ between ranks; reads the data. May be empty.
  std::function<void()> check;
};

struct GptWeights {
  GptShape shape;
  std::map<std::string, StoredParameter> parameters;  // by canonical key, all that parameters_of(shape) names
  TorchDict args;                                     // of a Megatron checkpoint: its plain arguments, to be kept
  std::vector<std::string> notes;                     // what was dropped or odd, a sentence each
  std::vector<std::shared_ptr<TensorFile>> files;
};

// The parameter that one tensor of a file is. Error(incomparable) for a tensor that is neither vector nor matrix.
StoredParameter parameter_of(const std::shared_ptr<TensorFile>& file, std::size_t tensor);

// The parameter as something to write under that name; checks it first.
TensorSource source_of(const StoredParameter& parameter, const std::string& name);

// Error(not_found) that lists all missing and unexpected keys, Error(incomparable) for a parameter of another shape or
// of a dtype that is no floating one. `path` is the checkpoint that the error names, `unexpected` are keys that had no
// place, `name_of` gives the checkpoint's own name of a canonical key.
void check_parameters(const GptWeights& weights, const std::filesystem::path& path, std::vector<std::string> unexpected,
                      const std::function<std::string(const std::string&)>& name_of);

// "3 missing: a, b, c; 1 unexpected: d"; long lists are cut.
std::string key_lists(const std::vector<std::string>& missing, const std::vector<std::string>& unexpected);

}  // namespace goldentrace
