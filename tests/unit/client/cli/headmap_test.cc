#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

v1::GetHeadMapResponse TwoLayers() {
  v1::GetHeadMapResponse map;
  map.mutable_model()->set_name("fmnist");
  map.set_members(2);
  map.set_heads(4);
  for (uint32_t l = 0; l < 2; ++l) {
    v1::LayerHeads& layer = *map.add_layers();
    layer.set_layer(l);
    layer.set_shared_mlp(true);
    layer.set_shared_norms(l == 0);
    for (uint32_t m = 0; m < 2; ++m) {
      v1::MemberHeads& member = *layer.add_members();
      member.set_member(m);
      member.set_stream(l * m);
      for (uint32_t h = 0; h < 4; ++h) {
        if (l == 0 || h / 2 == m) member.add_kept(h);
      }
    }
  }
  v1::MemberOverlap& overlap = *map.add_overlaps();
  overlap.set_second(1);
  overlap.set_shared(4);
  overlap.set_total(8);
  overlap.set_jaccard(0.5);
  map.mutable_provenance()->set_method("taylor");
  map.mutable_provenance()->set_base_digest("0123456789abcdef");
  return map;
}

std::shared_ptr<fakes::FakeConnection> Serving(v1::GetHeadMapResponse map) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  connection->get_head_map = [map](const v1::GetHeadMapRequest&) { return map; };
  return connection;
}

TEST(HeadmapTest, Run_TwoLayers_AreAPicture) {
  EXPECT_EQ(RunCli({"headmap"}, Serving(TwoLayers())).out,
            "fmnist: 2 members, 4 heads in each layer; # kept, . not\n"
            "\n"
            "layer  member 0  member 1  streams  shared\n"
            "-----  --------  --------  -------  ---------\n"
            "    0  ####      ####      0 0      mlp+norms\n"
            "    1  ##..      ..##      0 1      mlp\n"
            "\n"
            "members  heads in both  in either  Jaccard\n"
            "-------  -------------  ---------  -------\n"
            "0 and 1              4          8    0.500\n"
            "\n"
            "heads chosen by taylor, seed 0, base 0123456789ab\n");
}

TEST(HeadmapTest, Run_ClustersAndEffects_AreTables) {
  v1::GetHeadMapResponse map = TwoLayers();
  for (uint32_t l = 0; l < 2; ++l) {
    for (uint32_t h = 0; h < 4; ++h) {
      v1::HeadFacts& facts = *map.mutable_layers(static_cast<int>(l))->add_heads();
      facts.set_head(h);
      if (l + h > 0) facts.set_cluster(h / 2);
      facts.mutable_effect()->set_nll_change_nats(0.25 * l - 0.125 * h);
      facts.mutable_effect()->set_accuracy_change(-0.5 * l);
    }
  }
  map.mutable_clustering()->add_representatives();
  map.mutable_clustering()->add_representatives();
  map.mutable_clustering()->set_inputs(64);
  map.mutable_clustering()->set_silhouette(0.25);
  map.mutable_effect_basis()->set_inputs(32);
  map.mutable_effect_basis()->set_accuracy(0.75);
  const std::string out = RunCli({"headmap"}, Serving(map)).out;
  EXPECT_THAT(out, ::testing::HasSubstr("layer  cluster\n"
                                        "-----  -------\n"
                                        "    0  ?ABB\n"
                                        "    1  AABB\n"));
  EXPECT_THAT(out, ::testing::HasSubstr("2 clusters of what heads look at over 64 inputs"));
  EXPECT_THAT(out, ::testing::HasSubstr("    1     0         +0.2500             -50.00 %\n"
                                        "    1     1         +0.1250             -50.00 %\n"));
  EXPECT_THAT(out, ::testing::HasSubstr("on 32 inputs: NLL 0.0000, accuracy 75.00 %"));
}

TEST(HeadmapTest, Run_AbsurdNumbers_AreBounded) {
  v1::GetHeadMapResponse map = TwoLayers();
  map.set_heads(4'000'000'000u);
  map.mutable_layers(0)->mutable_members(0)->add_kept(4'000'000'000u);
  EXPECT_LT(RunCli({"headmap"}, Serving(map)).out.size(), 4000u);
}

TEST(HeadmapTest, Run_Layers_AreSent) {
  auto connection = std::make_shared<fakes::FakeConnection>();
  v1::GetHeadMapRequest sent;
  connection->get_head_map = [&](const v1::GetHeadMapRequest& request) {
    sent = request;
    return v1::GetHeadMapResponse();
  };
  EXPECT_EQ(RunCli({"headmap", "--layer", "0,5", "--json"}, connection).code, ExitCode::kOk);
  EXPECT_THAT(sent.layers(), ::testing::ElementsAre(0u, 5u));
}

}  // namespace
}  // namespace hydra::cli
