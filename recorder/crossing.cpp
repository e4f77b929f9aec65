#include "recorder/crossing.h"

#include <c10/core/GradMode.h>

#include "recorder/fresh_op.h"
#include "recorder/graph.h"
#include "recorder/session.h"

namespace goldentrace {
namespace {

bool covers(const Geometry& base, const Geometry& part) {
  const Extent whole = extent_of(base), piece = extent_of(part);
  return base.dtype == part.dtype && piece.begin >= whole.begin && piece.end <= whole.end;
}

std::string place_of(const Call& call, std::int32_t position) {
  return escape_label(call.facts.layer) + '#' + std::to_string(call.facts.call) + "/output." + std::to_string(position);
}

}  // namespace

const Captured& Crossing::captured() {
  if (!captured_) {
    captured_ = std::make_unique<Captured>(session_.sink.capture(tensor_, info_.content));
    info_.content = captured_->content;
  }
  return *captured_;
}

void Crossing::read_by(const std::shared_ptr<Call>& reader, ReadKind kind) {
  if (kind != ReadKind::overwrite) {
    leave_until(reader.get());
    info_.read = true;
  }
  if (!reader || !reader->taped || reader->abandoned) return;
  if (reader->root) return read_by_root(*reader);
  const bool content = kind == ReadKind::content;
  if (!content && !known_to(*reader) && (info_.unfilled || kind == ReadKind::overwrite)) materialize(*reader);
  enter(reader);
  const auto external = reader->externals.find(info_.uid);
  if (external != reader->externals.end() && external->second.parameter) {
    session_.parameters.note_use(external->second.parameter, reader->facts.layer);
  }
}

void Crossing::leave() {
  leave_until(nullptr);
  info_.read = true;
}

void Crossing::leave_until(const Call* reader) {
  for (std::shared_ptr<Call> call = info_.maker; call && !call->root && !encloses(call.get(), reader);
       call = call->parent) {
    if (!call->abandoned) add_output(call);
  }
}

void Crossing::add_output(const std::shared_ptr<Call>& call) {
  if (call->output_of.contains(info_.uid)) return;
  if (!has_plain_memory(tensor_)) return call->mark_unsupported("an output of type " + tensor_.toString());
  if (!call->released && !known_to(*call)) {
    if (repeats_output(*call)) return;
    add_alias(*call);
  }
  CallOutput output{info_.uid, call->take_position(Role::output), -1, place()};
  Record record;
  record.id = session_.timeline.id_in(*call, Role::output, std::to_string(output.position));
  record.position = output.position;
  record.producers = info_.outputs.empty() ? info_.depends : Rows{info_.outputs.back().second};
  output.row = session_.sink.add(std::move(record), captured());
  call->output_of.emplace(info_.uid, call->outputs.size());
  call->outputs.push_back(output);
  info_.outputs.emplace_back(call, output.row);
  session_.gradients.note_output(call, output, tensor_);
  session_.layer_check.keep_output(*call, output.position, captured());
  session_.timeline.amend(*call);
}

// Another tensor on the same unwritten memory has left the call already: this is the same output.
bool Crossing::repeats_output(Call& call) {
  const OutputPlace here = place();
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (here.storage == 0 || call.outputs[i].place != here) continue;
    call.output_of.emplace(info_.uid, i);
    info_.outputs.emplace_back(call.shared_from_this(), call.outputs[i].row);
    return true;
  }
  return false;
}

OutputPlace Crossing::place() const {
  if (!info_.storage) return {};
  return {info_.storage->number, info_.storage->version, geometry_of(tensor_)};
}

// Outermost first: the record of an inner call names that of the outer one as its producer.
void Crossing::enter(const std::shared_ptr<Call>& call) {
  if (call->parent) enter(call->parent);
  if (call->abandoned) return;
  if (const auto known = call->externals.find(info_.uid); known != call->externals.end()) {
    outer_row_ = known->second.row;
  } else if (!known_to(*call)) {
    is_made_inside(*call) ? add_alias(*call) : add_external(call);
  }
}

void Crossing::add_external(const std::shared_ptr<Call>& call) {
  if (!has_plain_memory(tensor_)) return call->mark_unsupported("an input of type " + tensor_.toString());
  const auto parameter = session_.parameters.of(tensor_, info_, call->facts.pass);
  parameter ? add_parameter(call, parameter) : add_input(call);
  Gradients::note_edge(*call, info_.uid, tensor_);
}

void Crossing::add_parameter(const std::shared_ptr<Call>& call, const std::shared_ptr<Parameter>& parameter) {
  if (!info_.content) info_.content = parameter->content;
  Record record;
  record.position = call->take_position(parameter->role);
  record.id = session_.timeline.id_in(*call, parameter->role,
                                      Parameters::name_in(*parameter, call->facts.layer, record.position));
  if (outer_row_ >= 0) {
    record.producers = {outer_row_};
  } else if (const std::int64_t left = last_output_row(call.get()); left >= 0) {
    record.producers = {left};
  } else if (parameter->update_row >= 0) {
    record.producers = {parameter->update_row};
  }
  const std::int64_t row = session_.sink.add(record, captured());
  parameter->content = captured().content;
  parameter->value_row = row;
  keep_external(*call, record, row, parameter);
}

void Crossing::add_input(const std::shared_ptr<Call>& call) {
  Record record;
  record.position = call->take_position(Role::input);
  record.id = session_.timeline.id_in(*call, Role::input, std::to_string(record.position));
  const std::int64_t left = last_output_row(call.get());
  if (outer_row_ >= 0) {
    record.producers = {outer_row_};
  } else {
    record.producers = left >= 0 ? Rows{left} : info_.depends;
  }
  // What has a graph was computed, if not by an op that was seen: by a backward.
  record.external = !info_.made && call->facts.pass == Pass::forward && present_node(tensor_) == nullptr;
  keep_external(*call, record, session_.sink.add(record, captured()), nullptr);
}

void Crossing::keep_external(Call& call, const Record& record, std::int64_t row,
                             const std::shared_ptr<Parameter>& parameter) {
  External external;
  external.role = record.id.role;
  external.position = record.position;
  external.row = row;
  external.index = record.id.index;
  external.geometry = geometry_of(tensor_);
  external.storage = info_.storage ? info_.storage->number : 0;
  external.requires_grad = tensor_.requires_grad();
  outer_row_ = row;
  call.value_rows.push_back(row);
  external.parameter = parameter;
  session_.layer_check.keep_external(call, external, tensor_, captured());
  call.externals[info_.uid] = std::move(external);
}

// The root's tape is for reading: what it reads has records elsewhere.
void Crossing::read_by_root(Call& root) {
  if (known_to(root) || root.externals.contains(info_.uid) || !has_plain_memory(tensor_)) return;
  External external;
  external.geometry = geometry_of(tensor_);
  external.storage = info_.storage ? info_.storage->number : 0;
  external.requires_grad = tensor_.requires_grad();
  if (!info_.outputs.empty()) {
    const auto& [call, row] = info_.outputs.back();
    external.role = Role::output;
    external.row = row;
    external.position = call->outputs[call->output_of.at(info_.uid)].position;
    external.index = place_of(*call, external.position);
  } else if (const auto parameter = session_.parameters.of(tensor_, info_, root.facts.pass)) {
    external.role = parameter->role;
    external.row = parameter->value_row;
    external.index = parameter->name;
    if (c10::GradMode::is_enabled() && root.facts.pass == Pass::forward && parameter->role == Role::param) {
      session_.parameters.note_use(parameter, root.facts.layer);
    }
  }
  root.externals[info_.uid] = std::move(external);
}

bool Crossing::known_to(const Call& call) const {
  return call.externals.contains(info_.uid) ||
         call.log->made_at(info_.uid) >= static_cast<std::int64_t>(call.ops_begin);
}

// A new tensor on memory that the call's tape made or wrote, seen without an op (`.data`, or a view made before).
void Crossing::add_alias(Call& call) {
  OpLog& log = *call.log;
  const auto base = info_.storage ? log.numbers.find(info_.storage->writer) : log.numbers.end();
  if (base == log.numbers.end()) return call.mark_unsupported("a tensor that no op of the layer made leaves it");
  LogValue& value = log.values[static_cast<std::size_t>(log.number_of(info_.uid))];
  value.alias = true;
  value.base = base->second;
  value.made_at = static_cast<std::int64_t>(call.open ? log.ops.size() : call.ops_end - 1);
  value.geometry = geometry_of(tensor_);
  value.requires_grad = tensor_.is_leaf() && tensor_.requires_grad();
  const auto written = call.externals.find(info_.storage->writer);
  if (written != call.externals.end() && !covers(written->second.geometry, value.geometry)) {
    call.mark_unsupported("a tensor is read whose memory was written through another one that covers less of it");
  }
}

// Memory without content is made on the tape where it is first filled.
void Crossing::materialize(Call& reader) {
  const bool whole = info_.storage && extent_of(geometry_of(tensor_)).begin == 0 &&
                     tensor_.storage().nbytes() <=
                         static_cast<std::size_t>(extent_of(geometry_of(tensor_)).end) * tensor_.element_size();
  const bool owned = session_.parameters.owner_of_memory(tensor_) != nullptr;
  for (const Call* call = &reader; call != nullptr; call = call->parent.get()) {
    if (known_to(*call)) return;
  }
  if (!whole || owned || is_made_inside(reader)) return;
  OpLog& log = *reader.log;
  const ValueIndex number = log.number_of(info_.uid);
  log.values[static_cast<std::size_t>(number)].made_at = static_cast<std::int64_t>(log.ops.size());
  log.values[static_cast<std::size_t>(number)].tensor = tensor_.unsafeGetTensorImpl();
  log.ops.push_back(fresh_memory_op(tensor_, number, reader.facts.layer));
}

std::int64_t Crossing::last_output_row(const Call* reader) const {
  for (auto output = info_.outputs.rbegin(); output != info_.outputs.rend(); ++output) {
    if (!encloses(output->first.get(), reader)) return output->second;
  }
  return -1;
}

Rows Crossing::depends(const Call& reader) const {
  if (const auto external = reader.externals.find(info_.uid); external != reader.externals.end() && !reader.root) {
    return {external->second.row};
  }
  if (info_.maker.get() == &reader) return info_.depends;
  const std::int64_t left = last_output_row(&reader);
  return left >= 0 ? Rows{left} : info_.depends;
}

}  // namespace goldentrace
