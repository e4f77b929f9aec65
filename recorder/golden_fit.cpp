#include "recorder/golden_fit.h"

namespace goldentrace {
namespace {

std::string text_of(const Shape& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

std::string difference(const Record& record, const Record& golden) {
  return to_string(record.id) + " has shape " + text_of(golden.shape) + " there and " + text_of(record.shape) + " here";
}

}  // namespace

void GoldenFit::see(const Record& record, const Record* golden) {
  const Role role = record.id.role;
  // A single number, a loss for one, fits any model.
  if (role == Role::loss || role == Role::op_output || element_count(record.shape) <= 1) return;
  ++seen_;
  if (golden == nullptr) return;
  ++found_;
  const bool alike = golden->shape == record.shape;
  if (role == Role::param && !alike && parameter_.empty()) parameter_ = difference(record, *golden);
  if (role != Role::input && role != Role::output) return;
  ++shaped_;
  alike_ += alike ? 1 : 0;
  if (!alike && activation_.empty()) activation_ = difference(record, *golden);
}

std::string GoldenFit::misfit() const {
  if (seen_ > 0 && found_ == 0) return "it has no record of the layers of the first step";
  if (!parameter_.empty()) return parameter_;
  return shaped_ > 0 && alike_ == 0 ? activation_ : "";
}

}  // namespace goldentrace
