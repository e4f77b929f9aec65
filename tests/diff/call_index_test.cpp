#include "diff/call_index.h"

#include <gtest/gtest.h>

#include <vector>

namespace goldentrace {
namespace {

LayerCall call(const std::string& layer, std::int64_t parent = -1, Pass pass = Pass::forward, std::int64_t micro = 0) {
  LayerCall each;
  each.layer = layer;
  each.parent = parent;
  each.pass = pass;
  each.micro = micro;
  return each;
}

RecordId record(const std::string& layer, Role role, Pass pass = Pass::forward, std::int64_t micro = 0) {
  RecordId id;
  id.layer = layer;
  id.role = role;
  id.pass = pass;
  id.micro = micro;
  return id;
}

TEST(CallIndex, NestingGoesByCallsAndNotByNames) {
  const std::vector<LayerCall> calls{call("encoder"), call("attention", 0), call("softmax", 1), call("encoder.other")};
  const CallIndex index(calls);
  EXPECT_TRUE(index.encloses(record("encoder", Role::output), record("softmax", Role::output)));
  EXPECT_TRUE(index.encloses(record("attention", Role::output), record("softmax", Role::output)));
  EXPECT_FALSE(index.encloses(record("softmax", Role::output), record("attention", Role::output)));
  EXPECT_FALSE(index.encloses(record("encoder", Role::output), record("encoder", Role::output)));
  EXPECT_FALSE(index.encloses(record("encoder", Role::output), record("encoder.other", Role::output)));
}

TEST(CallIndex, WithoutCallsNestingGoesByDottedNames) {
  const CallIndex index({});
  EXPECT_TRUE(index.encloses(record("h.1", Role::output), record("h.1.mlp", Role::output)));
  EXPECT_FALSE(index.encloses(record("h.1", Role::output), record("h.10", Role::output)));
}

TEST(CallIndex, ACycleOfParentsEnds) {
  const std::vector<LayerCall> calls{call("a", 1), call("b", 0), call("c")};
  EXPECT_FALSE(CallIndex(calls).encloses(record("c", Role::output), record("a", Role::output)));
}

TEST(CallIndex, GradientsBelongToTheForwardCall) {
  const std::vector<LayerCall> calls{call("a")};
  EXPECT_EQ(CallIndex(calls).call_of(record("a", Role::grad_input, Pass::backward)), &calls[0]);
  EXPECT_EQ(CallIndex(calls).call_of(record("b", Role::grad_input, Pass::backward)), nullptr);
}

TEST(CallIndex, UpdatesBelongToTheRootOfTheUpdate) {
  const std::vector<LayerCall> calls{call("(root)"), call("(root)", -1, Pass::update, no_micro)};
  const CallIndex index(calls);
  EXPECT_EQ(index.call_of(record("a", Role::param, Pass::update, no_micro)), &calls[1]);
}

TEST(CallIndex, ALossOutsideEveryLabelBelongsToTheRoot) {
  const std::vector<LayerCall> calls{call("(root)"), call("loss", -1, Pass::forward, 1)};
  const CallIndex index(calls);
  EXPECT_EQ(index.call_of(record("loss", Role::loss)), &calls[0]);
  EXPECT_EQ(index.call_of(record("loss", Role::loss, Pass::forward, 1)), &calls[1]);
}

TEST(CallIndex, EnclosingIsTheParentOrTheRoot) {
  const std::vector<LayerCall> calls{call("(root)"), call("a"), call("b", 1), call("a", -1, Pass::recompute)};
  const CallIndex index(calls);
  EXPECT_EQ(index.enclosing(calls[2]), &calls[1]);
  EXPECT_EQ(index.enclosing(calls[1]), &calls[0]);
  EXPECT_EQ(index.enclosing(calls[0]), nullptr);
  EXPECT_EQ(index.enclosing(calls[3]), &calls[0]) << "what surrounds a recomputed layer was taped in forward";
}

}  // namespace
}  // namespace goldentrace
