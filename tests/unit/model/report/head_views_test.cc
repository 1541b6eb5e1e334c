#include "model/report/heads/head_views.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

artifact::HeadMap Map() {
  return {.layers = 2,
          .members = 2,
          .heads = 2,
          .kept = {{{0}, {0, 1}}, {{1}, {1}}},
          .clusters = {{0, 1}, {1, 0}},
          .clustering = artifact::HeadClustering{.representatives = {{1, 1}, {0, 1}},
                                                 .davies_bouldin = 1.25,
                                                 .silhouette = 0.5,
                                                 .inputs = 64,
                                                 .affinity = "shifted"},
          .effects = artifact::HeadEffects{.inputs = 64,
                                           .nll_nats = 0.5,
                                           .accuracy = 0.75,
                                           .nll_change_nats = {{0.25, -0.125}, {0.5, 0.0}},
                                           .accuracy_change = {{-0.25, 0.125}, {-0.5, 0.0}}}};
}

TEST(ClustersHtmlTest, Heads_HaveTheirLettersAndRepresentativesAFrame) {
  const std::string html = ClustersHtml(Map());
  EXPECT_THAT(html, HasSubstr("<td class=\"cluster c0\" title=\"layer 0, head 0\">A</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"cluster c1 centre\" title=\"layer 0, head 1\">B</td>"));
  EXPECT_THAT(html, HasSubstr("over 64 inputs"));
  EXPECT_THAT(html, HasSubstr("Davies-Bouldin 1.250"));
  EXPECT_EQ(ClustersHtml({.layers = 1, .members = 1, .heads = 1}), "");
}

TEST(EffectsHtmlTest, LargestLoss_ComesFirstAndIsTheDarkest) {
  const std::string html = EffectsHtml(Map());
  EXPECT_THAT(html, HasSubstr("var(--series-1) 70%,transparent)\" title=\"layer 1, head 0: "
                              "accuracy -50.00 points\">500.0</td>"));
  EXPECT_THAT(html, HasSubstr("var(--series-2) 18%"));
  const size_t first = html.find("<th scope=\"row\">layer 1, head 0</th>");
  const size_t second = html.find("<th scope=\"row\">layer 0, head 0</th>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(first, second);
  EXPECT_THAT(html, HasSubstr("<td>+0.2500</td><td>-25.00</td><td>2 of 2</td>"));
  EXPECT_EQ(EffectsHtml({.layers = 1, .members = 1, .heads = 1}), "");
}

TEST(GalleryHtmlTest, NamesAndPictures_AreInlineAndEscaped) {
  const HeadGallery gallery{.heads = {{1, 0}},
                            .rows = {{.name = "<b>boot", .picture = "abc", .maps = {"xyz"}},
                                     {.name = "text", .maps = {"xyz"}}}};
  const std::string html = GalleryHtml(gallery);
  EXPECT_THAT(html, HasSubstr("src=\"data:image/png;base64,YWJj\""));
  EXPECT_THAT(html, HasSubstr("alt=\"Laplace map, layer 1, head 0\""));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;boot"));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_EQ(GalleryHtml({}), "");
}

TEST(CheckHeadViewsTest, TableOfAnotherSize_IsNamed) {
  EXPECT_TRUE(CheckHeadViews(Map()).ok());
  artifact::HeadMap map = Map();
  map.clusters.pop_back();
  EXPECT_THAT(CheckHeadViews(map).message(), HasSubstr("head_map.clusters: want 2 layers"));
  map = Map();
  map.effects->accuracy_change[1].pop_back();
  EXPECT_THAT(CheckHeadViews(map).message(), HasSubstr("effects.accuracy_change"));
  EXPECT_THAT(CheckGallery({.heads = {{0, 0}}, .rows = {{.name = "x"}}}).message(),
              HasSubstr("gallery.rows[0].maps: got 0, want 1"));
}

}  // namespace
}  // namespace hydra::report
