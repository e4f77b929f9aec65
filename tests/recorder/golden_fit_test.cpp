// Which goldens are taken for those of another model.
#include "recorder/golden_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace goldentrace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Record record(Role role, Shape shape) {
  Record record;
  record.id.layer = "layers.0";
  record.id.role = role;
  record.id.index = "0";
  record.shape = std::move(shape);
  return record;
}

class GoldenFitTest : public testing::Test {
 protected:
  void see(Role role, const Shape& here, const Shape& there) {
    const Record golden = record(role, there);
    fit_.see(record(role, here), &golden);
  }
  void see_without_golden(Role role, const Shape& here) { fit_.see(record(role, here), nullptr); }

  GoldenFit fit_;
};

TEST_F(GoldenFitTest, NothingSeenFits) { EXPECT_THAT(fit_.misfit(), IsEmpty()); }

TEST_F(GoldenFitTest, EqualShapesFit) {
  see(Role::param, {3, 4}, {3, 4});
  see(Role::output, {8, 3}, {8, 3});
  EXPECT_THAT(fit_.misfit(), IsEmpty());
}

TEST_F(GoldenFitTest, AGoldenWithoutAnyOfTheLayersIsOfAnotherModel) {
  see_without_golden(Role::output, {8, 3});
  EXPECT_THAT(fit_.misfit(), HasSubstr("no record of the layers"));
}

TEST_F(GoldenFitTest, OneFoundRecordIsEnoughToCompare) {
  see_without_golden(Role::output, {8, 3});
  see(Role::output, {8, 3}, {8, 3});
  EXPECT_THAT(fit_.misfit(), IsEmpty());
}

TEST_F(GoldenFitTest, AParameterOfAnotherShapeNamesBothShapes) {
  see(Role::output, {8, 3}, {8, 3});
  see(Role::param, {3, 4}, {3, 5});
  see(Role::param, {7, 7}, {9, 9});
  EXPECT_THAT(fit_.misfit(), AllOf(HasSubstr("layers.0"), HasSubstr("[3, 5] there and [3, 4] here")));
}

TEST_F(GoldenFitTest, ActivationsAreOfOtherSizesWhenAllAre) {
  see(Role::input, {16, 4}, {8, 4});
  see(Role::output, {16, 3}, {8, 3});
  EXPECT_THAT(fit_.misfit(), HasSubstr("[8, 4] there and [16, 4] here"));
}

TEST_F(GoldenFitTest, OneActivationOfAnotherShapeIsForTheVerdict) {
  see(Role::input, {16, 4}, {16, 4});
  see(Role::output, {16, 3}, {8, 3});
  EXPECT_THAT(fit_.misfit(), IsEmpty());
}

TEST_F(GoldenFitTest, LossesOpValuesAndSingleNumbersFitAnyModel) {
  see_without_golden(Role::loss, {2});
  see_without_golden(Role::op_output, {2, 2});
  see_without_golden(Role::output, {1});
  see_without_golden(Role::output, {});
  EXPECT_THAT(fit_.misfit(), IsEmpty());
}

TEST_F(GoldenFitTest, OfGradientsTheShapeIsForTheVerdict) {
  see(Role::grad_input, {16, 4}, {8, 4});
  EXPECT_THAT(fit_.misfit(), IsEmpty());
}

}  // namespace
}  // namespace goldentrace
