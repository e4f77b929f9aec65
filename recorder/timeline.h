// Where the run is: step, micro-batch, pass, and which layer entries belong to them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder/call.h"
#include "recorder/capture.h"
#include "recorder/recorder.h"
#include "recorder/tape_book.h"
#include "recorder/tensor_table.h"
#include "traces/record.h"

namespace goldentrace {

struct Session;
struct ThreadState;

// Steps and micro-batches are said by the program (Recorder, or labels "step N", "micro N") or found: a new step begins
// at the first layer entry after parameters were updated, a new micro-batch at the first layer entry after a backward.
// Not thread-safe: the session's lock is held around it.
class Timeline {
 public:
  explicit Timeline(Session& session);

  void say_step(std::int64_t number);
  void say_rank(std::int32_t number);
  void say_micro(std::int64_t number);
  void say_loss(const at::Tensor& loss);
  void say_step_loss(const at::Tensor& loss);
  void say_input(const std::string& name, const at::Tensor& value);

  // A layer is entered, recorded or not: perhaps the first of a new step or micro-batch.
  void layer_begins();
  std::shared_ptr<Call> enter_layer(const std::string& layer, ThreadState& thread);
  void leave_layer(const std::shared_ptr<Call>& call);

  // The first node of a backward runs; `loss`: its one-element forward output, undefined when it has none.
  void backward_begins(const at::Tensor& loss);
  // An op outside backward is about to write a parameter.
  void parameter_written();
  void begin_update();

  // The call that ops outside every label belong to; null in a step that is not recorded.
  std::shared_ptr<Call> root();
  bool recording() const { return recording_; }
  bool gradients_ready() const { return gradients_ready_ && !updating_; }
  RecordId id_in(const Call& call, Role role, std::string index) const;

  void finish();           // ends the open step
  void finish_complete();  // the same, if it is complete: nothing of it is still to come
  FilterEffect filter_effect() const { return filter_effect_; }
  // Outputs or a refusal were added to a call; its tape may be written already.
  void amend(Call& call);
  // A backward begins on this thread: the labels around it are no layers.
  void abandon_open_labels();

 private:
  // A loss as a number; doubles hold every floating dtype exactly.
  struct LossValue {
    DType dtype = DType::float32;
    double value = 0;
  };

  void begin_step(std::int64_t number);
  void look();
  void end_step();
  void end_micro();
  void end_update();
  bool wanted(std::int64_t step) const;
  void stop_if_enough();
  bool is_complete() const;
  void forget_start();
  void release_calls();
  void write_tape(Call& call);
  void write_tapes();
  void leave_unread(const Call& call);
  void leave_if_unread(const Call& call, const LogValue& value);
  void record_total_gradients();
  void record_updated_parameters();
  void record_loss(const at::Tensor& loss);
  void record_step_loss();
  RecordId update_id(const std::string& layer, Role role, const std::string& index) const;
  std::shared_ptr<Call> make_root(Pass pass, std::int64_t micro) const;

  Session& session_;
  std::int64_t step_ = 0;
  std::int64_t micro_ = 0;
  std::int32_t rank_;  // of the micro-batch
  Capture level_;      // of the open step
  bool recording_ = false;
  bool blind_ = false;  // no op of the open step is seen
  bool steps_said_ = false;
  bool micros_said_ = false;
  bool losses_said_ = false;
  bool layer_seen_ = false;       // in the whole run
  bool backward_seen_ = false;    // since the micro-batch began
  bool gradients_ready_ = false;  // a backward since the last update
  bool updating_ = false;
  bool trains_ = false;         // a backward in the whole run
  bool awaits_update_ = false;  // layers were entered for a backward and an update that are still to come

  FilterEffect filter_effect_;
  std::shared_ptr<Call> root_;
  std::shared_ptr<Call> update_root_;
  std::vector<std::shared_ptr<Call>> calls_;  // whose tapes are not written yet
  std::vector<std::weak_ptr<Call>> calls_of_step_;
  TapeBook tapes_;
  std::map<std::pair<Pass, std::string>, std::int32_t> entries_;
  std::vector<LossValue> losses_;  // of the open step
  Rows loss_rows_;
  std::int32_t losses_of_micro_ = 0;
  std::optional<LossValue> step_loss_;
};

}  // namespace goldentrace
