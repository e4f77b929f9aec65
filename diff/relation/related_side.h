// One trace seen through a relation: the rows are logical tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diff/relation/form_plan.h"
#include "diff/relation/logical_side.h"
#include "diff/relation/logical_view.h"
#include "diff/trace_view.h"

namespace goldentrace {

// Which entries of a logical tensor count: one byte for each, 0 where it does not.
struct KeptEntries {
  std::function<std::vector<std::byte>()> keep;
  std::string text;  // "unmasked entries"
};

class RelatedSide : public LogicalView {
 public:
  // Everything must outlive it.
  RelatedSide(const TraceView& trace, const TraceView& other, const LogicalSide& logical);

  const LogicalSide& logical() const { return logical_; }
  const TraceView& view() const { return view_; }
  const std::vector<Record>& records() const { return records_; }
  // 1 for tensors that the relation leaves out.
  const std::vector<std::uint8_t>& left_out() const { return left_out_; }
  const RecordId& recorded_id(std::int64_t row) const { return recorded(row).id; }
  // The row whose sources hold this recorded row.
  std::int64_t row_of(std::int64_t recorded_row) const { return row_of_[static_cast<std::size_t>(recorded_row)]; }
  const FormPlan* plan(std::int64_t row) const;
  // Recorded rows of that layer and role.
  const std::vector<std::int64_t>& rows_of(const std::string& layer, Role role) const;

  // Makes the plan of a row; `common`: where an axis is cut to what both sides have. False, with the reason as
  // misfit(), where the form does not fit. Call finish() when all are made.
  bool make_plan(std::int64_t row, std::optional<std::int64_t> common);
  void set_misfit(std::int64_t row, std::string text);
  void add_mask(std::int64_t row, KeptEntries mask);
  // The row takes no part.
  void leave_out(std::int64_t row, std::string reason);
  std::string reason(std::int64_t row) const;  // why it is left out
  // Only entry `at` of the first axis, behind the row's form. Before finish().
  void take_sample(std::int64_t row, std::int64_t at);
  void finish();

  const Record& recorded(std::int64_t row) const override;
  std::vector<RecordedTensor> sources(std::int64_t row) const override;
  bool is_transformed(std::int64_t row) const override;
  std::string form(std::int64_t row) const override;
  std::string misfit(std::int64_t row) const override;
  std::optional<RecordId> source_at(std::int64_t row, std::int64_t element) const override;
  std::optional<std::vector<std::vector<std::byte>>> as_recorded(std::int64_t row,
                                                                 const std::vector<std::byte>& logical) const override;

 private:
  Record logical_record(const LogicalTensor& tensor);
  FormContext context(std::int64_t row, std::optional<std::int64_t> common) const;
  std::optional<double> value_of(std::string_view name, const SetMatch& set) const;
  std::optional<double> header_value(const std::vector<std::string>& names, const TraceView& trace) const;
  FormSource source(std::int64_t recorded_row) const;
  FormSource partner(const FormStep& step, const FormSource& source, const Captures& captures) const;
  double tokens(const FormSource& source) const;
  void count_tokens();
  void set_view();
  void set_calls();
  void set_fingerprint(std::int64_t row);
  void set_producers(std::int64_t row);
  bool has_content(std::int64_t recorded_row) const;
  bool has_payload(std::int64_t row) const;
  std::vector<std::byte> content(std::int64_t recorded_row) const;
  std::vector<std::byte> payload(std::int64_t row) const;
  Sketch sketch(std::int64_t row) const;
  const std::string& name_of_layer(const std::string& layer) const;
  Tape renamed(Tape tape) const;

  const TraceView& trace_;
  const TraceView& other_;
  const LogicalSide& logical_;
  std::vector<Record> records_;
  std::vector<LayerCall> calls_;
  std::vector<std::uint8_t> left_out_;
  std::vector<std::int64_t> row_of_;
  std::vector<std::optional<FormPlan>> plans_;
  std::map<std::int64_t, std::string> misfits_;
  std::map<std::int64_t, std::vector<KeptEntries>> masks_;
  std::map<std::int64_t, std::string> reasons_;
  std::map<std::pair<std::string, Role>, std::vector<std::int64_t>> by_layer_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, double> tokens_;  // by step, micro, rank
  TraceView view_;
};

}  // namespace goldentrace
