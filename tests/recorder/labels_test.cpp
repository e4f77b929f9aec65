#include "recorder/labels.h"

#include <gtest/gtest.h>

#include "recorder/parameters.h"

namespace goldentrace {
namespace {

TEST(LabelsTest, ReservedAndFrameworkLabels) {
  Labels labels({});
  EXPECT_EQ(labels.classify("step 12").kind, LabelKind::step);
  EXPECT_EQ(labels.classify("step 12").number, 12);
  EXPECT_EQ(labels.classify("micro 3").kind, LabelKind::micro);
  for (const char* layer : {"step", "step x", "step 1a", "step -1", "micro", "h.0.attn", "nccl", "Optimizer"}) {
    EXPECT_EQ(labels.classify(layer).kind, LabelKind::layer) << layer;
  }
  EXPECT_EQ(labels.classify("Optimizer.step#SGD.step").kind, LabelKind::optimizer);
  for (const char* framework : {"Optimizer.zero_grad#SGD.zero_grad", "enumerate(DataLoader)#_Single.__next__",
                                "gloo:all_reduce", "nccl:all_gather", "DistributedDataParallel.forward"}) {
    EXPECT_EQ(labels.classify(framework).kind, LabelKind::ignored) << framework;
  }
}

TEST(LabelsTest, GlobsChooseLayers) {
  Labels labels({"h.*.mlp", "ln_?"});
  EXPECT_EQ(labels.classify("h.11.mlp").kind, LabelKind::layer);
  EXPECT_EQ(labels.classify("ln_f").kind, LabelKind::layer);
  EXPECT_EQ(labels.classify("h.11.mlp.act").kind, LabelKind::unwanted);
  EXPECT_EQ(labels.classify("step 1").kind, LabelKind::step);
  EXPECT_FALSE(labels.wants_root());
}

TEST(ParameterNames, DropTheLayersOwnName) {
  EXPECT_EQ(local_name("layers.0.weight", "layers.0"), "weight");
  EXPECT_EQ(local_name("transformer.h.0.ln_1.bias", "h.0.ln_1"), "bias");
  EXPECT_EQ(local_name("wte.weight", "lm_head"), "wte.weight");
  EXPECT_EQ(local_name("alayers.0.weight", "layers.0"), "alayers.0.weight");
}

}  // namespace
}  // namespace goldentrace
