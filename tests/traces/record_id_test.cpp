#include "traces/record_id.h"

#include <gtest/gtest.h>

#include "traces/error.h"

namespace goldentrace {
namespace {

RecordId activation() {
  return {.step = 3, .micro = 0, .rank = 0, .pass = Pass::forward, .layer = "h.1.mlp.act", .role = Role::output};
}

TEST(RecordId, IsWrittenForFilesAndForPeople) {
  EXPECT_EQ(to_string(activation()), "3:0:0/forward/h.1.mlp.act#0/output.0");
  EXPECT_EQ(describe(activation()), "step 3 · micro 0 · rank 0 · forward · h.1.mlp.act · output 0");
}

TEST(RecordId, OfAWholeStepHasNoMicro) {
  const RecordId loss{.step = 3, .micro = no_micro, .pass = Pass::update, .layer = "loss", .role = Role::loss};
  EXPECT_EQ(to_string(loss), "3:-:0/update/loss#0/loss.0");
  EXPECT_EQ(describe(loss), "step 3 · rank 0 · update · loss · loss 0");
  EXPECT_EQ(parse_record_id("3:-:0/update/loss#0/loss.0"), loss);
}

TEST(RecordId, RoundTripsEveryPassAndRole) {
  for (int pass = 0; pass < 4; ++pass) {
    for (int role = 0; role < 9; ++role) {
      RecordId id{.step = 12, .micro = 7, .rank = 5, .pass = static_cast<Pass>(pass), .layer = "a.b", .call = 2};
      id.role = static_cast<Role>(role);
      id.index = "2.a.0";
      EXPECT_EQ(parse_record_id(to_string(id)), id) << to_string(id);
    }
  }
}

TEST(RecordId, EscapesWhatSeparatesItsParts) {
  RecordId id = activation();
  id.layer = "a/b#c:d%e\nf (root) ü";
  id.index = "w/x.y";
  EXPECT_EQ(to_string(id), "3:0:0/forward/a%2Fb%23c%3Ad%25e%0Af (root) ü#0/output.w%2Fx.y");
  EXPECT_EQ(parse_record_id(to_string(id)), id);
  EXPECT_EQ(unescape_label("%2f"), "/");
  for (const char* bad : {"%", "%2", "a%zz", "%2"}) EXPECT_THROW(unescape_label(bad), Error) << bad;
}

TEST(RecordId, RepeatedCallsAreShownToPeople) {
  RecordId id = activation();
  id.call = 1;
  EXPECT_EQ(describe(id), "step 3 · micro 0 · rank 0 · forward · h.1.mlp.act#1 · output 0");
}

TEST(RecordId, NamesThePartThatDoesNotParse) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "step"},
      {"x:0:0/forward/a#0/output.0", "step 'x'"},
      {"3:x:0/forward/a#0/output.0", "micro 'x'"},
      {"3:-1:0/forward/a#0/output.0", "micro '-1'"},
      {"3:0:99999999999/forward/a#0/output.0", "rank '99999999999'"},
      {"3:0:0/sideways/a#0/output.0", "unknown pass 'sideways'; use forward, recompute, backward, update"},
      {"3:0:0/forward/a/output.0", "no '#' after the layer"},
      {"3:0:0/forward/a#z/output.0", "call 'z'"},
      {"3:0:0/forward/a#0/result.0", "unknown role 'result'"},
      {"3:0:0/forward/a#0/output", "no '.' after the role"},
      {"3:0:0/forward/#0/output.0", "layer is empty"},
      {"3:0:0/forward/a#0/output.", "index is empty"},
  };
  for (const auto& [text, part] : cases) {
    try {
      parse_record_id(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace goldentrace
