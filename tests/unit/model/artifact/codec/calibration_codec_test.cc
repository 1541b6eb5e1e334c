#include "model/artifact/codec/calibration_codec.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/sha256.h"
#include "tests/golden/tiny_bundle.h"
#include "tests/unit/model/artifact/codec/json_corruption.h"

namespace hydra::artifact::codec {
namespace {

using ::testing::HasSubstr;

const Manifest& TinyManifest() {
  static const Manifest manifest = golden::TinyBundle().documents.manifest;
  return manifest;
}

std::string ErrorAfter(const std::function<void(Calibration&)>& change) {
  Calibration calibration = golden::TinyBundle().documents.calibration;
  change(calibration);
  const std::string text = EncodeCalibration(calibration).value();
  return std::string(ParseCalibration(text, TinyManifest()).status().message());
}

TEST(CalibrationCodecTest, Parse_WhatEncodeWrote_EncodesToTheSameText) {
  const std::string text = EncodeCalibration(golden::TinyBundle().documents.calibration).value();
  const auto parsed = ParseCalibration(text, TinyManifest());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(EncodeCalibration(*parsed).value(), text);
}

TEST(CalibrationCodecTest, Parse_AnyFieldCorrupted_NamesIt) {
  const CorruptionExpectations expected{
      .file = "calibration.json",
      .optional_keys = {"certificates[].classes"},
      .open_objects = {"splits", "reference_histograms", "batch_tolerance"},
      .signed_numbers = {"certificates[].cuts[].threshold", "certificates[].rules[].thresholds[]",
                         "reference_histograms.*.edges[]"},
  };
  ExpectEveryCorruptionFound(
      EncodeCalibration(golden::TinyBundle().documents.calibration).value(), expected,
      [](const std::string& text) { return ParseCalibration(text, TinyManifest()).status(); });
}

TEST(CalibrationCodecTest, Parse_SplitsMissingUnknownOrEqual_AreRefused) {
  for (const char* name : {"fit", "path", "certify", "conformal"}) {
    EXPECT_THAT(ErrorAfter([name](Calibration& c) { c.splits.erase(name); }),
                HasSubstr(std::string("splits: missing split ") + name));
  }
  EXPECT_EQ(ErrorAfter([](Calibration& c) { c.splits.erase("select"); }), "");
  EXPECT_THAT(ErrorAfter([](Calibration& c) {
                c.splits["validation"] = {.n = 1, .digest = base::Sha256Hex("v")};
              }),
              HasSubstr("splits.validation: not the name of a split"));
  EXPECT_THAT(
      ErrorAfter([](Calibration& c) { c.splits["fit"].digest = c.splits["certify"].digest; }),
      HasSubstr("splits.fit.digest: got the digest of certify"));
}

TEST(CalibrationCodecTest, Parse_CutsThatCannotBeCounts_AreRefused) {
  const auto with = [](size_t cut, CertificateCut value) {
    return ErrorAfter([&](Calibration& c) { c.certificates[0].cuts[cut] = value; });
  };
  EXPECT_THAT(with(1, {0.125, 60, 1}), HasSubstr("certificates[0].cuts[1]: threshold"));
  EXPECT_THAT(with(1, {0.0, 60, 1}), HasSubstr("certificates[0].cuts[1]: threshold"));
  EXPECT_THAT(with(1, {0.25, 30, 1}), HasSubstr("certificates[0].cuts[1]: accepted"));
  EXPECT_THAT(with(2, {0.5, 90, 0}), HasSubstr("certificates[0].cuts[2]: errors"));
  EXPECT_THAT(with(2, {0.5, 61, 3}), HasSubstr("certificates[0].cuts[2]: errors"));
  EXPECT_THAT(with(0, {0.125, 4, 5}), HasSubstr("certificates[0].cuts[0]: got 5 errors among 4"));
  EXPECT_THAT(with(2, {0.5, 101, 9}), HasSubstr("cuts[2].accepted: got 101, want 0..100"));
  EXPECT_THAT(with(2, {INFINITY, 90, 9}), HasSubstr("cuts[2].threshold: got null"));
}

TEST(CalibrationCodecTest, Parse_TablesThatDisagreeWithTheirSplit_AreRefused) {
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.certificates[0].n = 99; }),
              HasSubstr("certificates[0].n: got 99, want 100"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.certificates[1].n = 101; }),
              HasSubstr("certificates[1].n: got 101, want 100"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.conformal[0].n = 99; }),
              HasSubstr("conformal[0].n: got 99"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.certificates[1] = c.certificates[0]; }),
              HasSubstr("certificates[1]: got a second table of one_minus_confidence"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.conformal[1] = c.conformal[0]; }),
              HasSubstr("conformal[1]: got a second quantile"));
}

TEST(CalibrationCodecTest, Parse_WrongNames_AreRefused) {
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.default_score = "msp"; }),
              HasSubstr("default_score: got \"msp\""));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.certificates[0].dtype = "fp32"; }),
              HasSubstr("certificates[0].dtype: got \"fp32\""));
  EXPECT_THAT(ErrorAfter([](Calibration& c) { c.batch_tolerance["fp32"] = 0.0; }),
              HasSubstr("batch_tolerance.fp32"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) {
                c.reference_histograms["msp"] = {{0.5}, {1, 1}};
              }),
              HasSubstr("reference_histograms.msp"));
}

TEST(CalibrationCodecTest, Parse_MemberComparisonsOfOneMember_AreRefused) {
  Manifest one = TinyManifest();
  one.members = 1;
  Calibration calibration = golden::TinyBundle().documents.calibration;
  EXPECT_THAT(ParseCalibration(EncodeCalibration(calibration).value(), one).status().message(),
              HasSubstr("certificates[1].rules[1].score: got mutual_information, which is unset"));
}

TEST(CalibrationCodecTest, Parse_HistogramThatDoesNotFitItsEdges_IsRefused) {
  EXPECT_THAT(
      ErrorAfter([](Calibration& c) { c.reference_histograms["total_entropy"].counts.pop_back(); }),
      HasSubstr("reference_histograms.total_entropy.counts: got 2 items, want 3"));
  EXPECT_THAT(ErrorAfter([](Calibration& c) {
                c.reference_histograms["total_entropy"].edges = {1.0, 0.5};
              }),
              HasSubstr("reference_histograms.total_entropy.edges: want ascending"));
}

}  // namespace
}  // namespace hydra::artifact::codec
