// Monte Carlo: every guarantee holds at its stated level, and what looks like it does not.
//
// The world: a score s and a novelty v, independent and uniform.  A row errs with probability s / 3
// where v < 0.8, else never.  So accepting s <= t errs at (t / 6) * 0.8, and accepting v <= u too
// at (t / 6) * min(u, 0.8) / u: refusing novel rows refuses correct ones.
#include <algorithm>
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/calibration/conformal_risk.h"
#include "model/calibration/declared_cuts.h"
#include "model/calibration/guaranteed_risk.h"
#include "model/calibration/learn_then_test.h"
#include "model/calibration/rule_path.h"
#include "model/uncertainty/binomial.h"
#include "model/uncertainty/certificate.h"

namespace hydra::calibration {
namespace {

using uncertainty::ScoredRow;

constexpr double kFamiliar = 0.8;
constexpr double kConfidence = 1e-3;  // of the bounds on an observed rate, one-sided

struct Row {
  double score = 0.0;
  double novelty = 0.0;
  bool correct = false;
};

std::vector<Row> Draw(size_t n, base::Rng& rng) {
  std::vector<Row> rows(n);
  for (Row& row : rows) {
    row.score = rng.Uniform();
    row.novelty = rng.Uniform();
    row.correct = row.novelty >= kFamiliar || rng.Uniform() >= row.score / 3.0;
  }
  return rows;
}

double TrueRisk(double score_threshold, double novelty_threshold) {
  const double u = std::min(novelty_threshold, 1.0);
  return std::min(score_threshold, 1.0) / 6.0 * std::min(u, kFamiliar) / u;
}

std::vector<ScoredRow> ByScore(const std::vector<Row>& rows) {
  std::vector<ScoredRow> scored;
  for (const Row& row : rows) scored.push_back({row.score, row.correct});
  return scored;
}

RulePath PathOf(const std::vector<Row>& rows) {
  std::vector<std::vector<double>> scores(2);
  for (const Row& row : rows) {
    scores[0].push_back(row.score);
    scores[1].push_back(row.novelty);
  }
  return RulePath::Create(scores).value();
}

std::vector<ScoredRow> ByPosition(const RulePath& path, const std::vector<Row>& rows) {
  std::vector<ScoredRow> scored;
  for (const Row& row : rows)
    scored.push_back({path.Position({row.score, row.novelty}).value(), row.correct});
  return scored;
}

double RiskAt(const RulePath& path, double position) {
  const std::vector<double> thresholds = path.ThresholdsAt(position).value();
  return TrueRisk(thresholds[0], thresholds[1]);
}

// Bounds on the probability behind an observed count of violations.
struct Violations {
  int count = 0;
  int repetitions = 0;
  double Upper() const { return uncertainty::BinomialUpperBound(count, repetitions, kConfidence); }
  double Lower() const {
    return 1.0 - uncertainty::BinomialUpperBound(repetitions - count, repetitions, kConfidence);
  }
};

Violations Repeat(int repetitions, uint64_t seed, const std::function<bool(base::Rng&)>& violated) {
  base::Rng rng(seed);
  Violations violations{.repetitions = repetitions};
  for (int i = 0; i < repetitions; ++i) violations.count += violated(rng) ? 1 : 0;
  return violations;
}

TEST(GuaranteeSimulation, RulesCertifiedOnOnePath_HoldAtDelta) {
  const Violations violations = Repeat(1000, 1, [](base::Rng& rng) {
    const RulePath path = PathOf(Draw(200, rng));
    const auto search =
        SelectWithGuaranteedRisk(ByPosition(path, Draw(800, rng)), 0.1, 0.05).value();
    return search.cut.has_value() && RiskAt(path, search.cut->threshold) > search.cut->risk_bound;
  });
  EXPECT_LE(violations.Upper(), 0.05) << violations.count;
}

// The same rows, the same two rules: but the score is cut by itself, and a novelty rule at a
// held-out quantile is added to it.
TEST(GuaranteeSimulation, NoveltyRuleAddedToACertifiedCut_BreaksIt) {
  const Violations violations = Repeat(2000, 1, [](base::Rng& rng) {
    const RulePath path = PathOf(Draw(200, rng));
    const auto search = SelectWithGuaranteedRisk(ByScore(Draw(800, rng)), 0.1, 0.05).value();
    const double novelty_threshold = path.ThresholdsAt(0.8).value()[1];
    return search.cut.has_value() &&
           TrueRisk(search.cut->threshold, novelty_threshold) > search.cut->risk_bound;
  });
  EXPECT_GT(violations.Lower(), 0.05) << violations.count;
}

// Targets are tried on one sample until one suits, along one path of two rules.
TEST(GuaranteeSimulation, ManyPreviewsOfOnePath_HoldAtDelta) {
  const Violations violations = Repeat(500, 2, [](base::Rng& rng) {
    const RulePath path = PathOf(Draw(200, rng));
    artifact::CertificateTable table{.n = 600};
    std::vector<double> cuts;
    for (int k = 1; k <= 10; ++k) cuts.push_back(k / 10.0);
    table.cuts = CountCuts(ByPosition(path, Draw(600, rng)), cuts).value();
    bool any = false;
    for (double target = 0.05; target < 0.14; target += 0.005) {
      const auto search = uncertainty::FindCutForRisk(table, target, 0.05).value();
      any = any || (search.cut.has_value() && RiskAt(path, search.cut->threshold) > target);
    }
    return any;
  });
  EXPECT_LE(violations.Upper(), 0.05) << violations.count;
}

// As many previews with a bound that is made for one look.
TEST(GuaranteeSimulation, ManyPreviewsOfSinglePointBounds_BreakThem) {
  const Violations violations = Repeat(1000, 2, [](base::Rng& rng) {
    const std::vector<ScoredRow> rows = ByScore(Draw(600, rng));
    bool any = false;
    for (int k = 1; k <= 60; ++k) {
      const double threshold = k / 60.0;
      double accepted = 0.0, errors = 0.0;
      for (const ScoredRow& row : rows) {
        if (row.score > threshold) continue;
        accepted += 1.0;
        errors += row.correct ? 0.0 : 1.0;
      }
      any =
          any || TrueRisk(threshold, 1.0) > uncertainty::BinomialUpperBound(errors, accepted, 0.05);
    }
    return any;
  });
  EXPECT_GT(violations.Lower(), 0.05) << violations.count;
}

// Selective risk below 8 % and at most 30 % of outliers accepted; outliers score 0.2..1.2.
std::vector<ControlledRisk> TwoRisks(const std::vector<double>& cuts, base::Rng& rng) {
  std::vector<ControlledRisk> risks = {
      {.name = "selective risk", .level = 0.06, .counts = {}},
      {.name = "OOD acceptance", .level = 0.3, .kind = LossKind::kBounded, .counts = {}}};
  const std::vector<Row> rows = Draw(1500, rng);
  std::vector<double> outliers(300);
  for (double& score : outliers) score = 0.2 + rng.Uniform();
  for (const double cut : cuts) {
    LossCount selective, ood{.rows = outliers.size()};
    for (const Row& row : rows) {
      selective.rows += row.score <= cut ? 1 : 0;
      selective.loss += row.score <= cut && !row.correct ? 1.0 : 0.0;
    }
    for (const double score : outliers) ood.loss += score <= cut ? 1.0 : 0.0;
    risks[0].counts.push_back(selective);
    risks[1].counts.push_back(ood);
  }
  return risks;
}

TEST(GuaranteeSimulation, LearnThenTestOfTwoRisks_HoldsAtDelta) {
  std::vector<double> cuts;
  for (int k = 1; k <= 50; ++k) cuts.push_back(k / 50.0);
  size_t certified = 0;
  const Violations violations = Repeat(1000, 3, [&](base::Rng& rng) {
    const auto tested = LearnThenTest(TwoRisks(cuts, rng), {.starts = {5, 10}, .delta = 0.1});
    bool any = false;
    for (const size_t i : tested->certified) {
      const double ood = std::clamp(cuts[i] - 0.2, 0.0, 1.0);
      any = any || TrueRisk(cuts[i], 1.0) >= 0.06 || ood >= 0.3;
    }
    certified += tested->certified.size();
    return any;
  });
  EXPECT_LE(violations.Lower(), 0.1) << violations.count;
  EXPECT_LE(violations.count, 130);  // about 0.1 + 3 standard errors
  EXPECT_GT(certified, 8000u);       // it does certify
}

// Every candidate sits at its level: whatever is certified is a violation.  Starts so far apart
// that they hardly depend on each other.
Violations AtTheLevel(double delta, const std::vector<size_t>& starts) {
  return Repeat(4000, 4, [&](base::Rng& rng) {
    ControlledRisk risk{.name = "selective risk", .level = 0.2, .counts = {}};
    LossCount count;
    for (size_t rows = 1; rows <= 1200; ++rows) {
      ++count.rows;
      count.loss += rng.Uniform() < risk.level ? 1.0 : 0.0;
      if (rows % 40 == 0) risk.counts.push_back(count);
    }
    return !LearnThenTest({risk}, {.starts = starts, .delta = delta})->certified.empty();
  });
}

TEST(GuaranteeSimulation, SeveralStartsWithSplitDelta_HoldAtDelta) {
  const Violations violations = AtTheLevel(0.1, {0, 5, 29});
  EXPECT_LE(violations.Upper(), 0.1) << violations.count;
}

TEST(GuaranteeSimulation, SeveralStartsWithWholeDelta_BreakIt) {
  const Violations violations = AtTheLevel(0.3, {0, 5, 29});  // 0.1 each, as if not split
  EXPECT_GT(violations.Lower(), 0.1) << violations.count;
}

// Mean and standard error of the true generalised risk P(wrong and accepted) = 0.8 t^2 / 6 at the
// chosen threshold.
std::pair<double, double> GeneralisedRisk(
    size_t n, const std::function<double(const std::vector<ScoredRow>&)>& choose) {
  base::Rng rng(6);
  constexpr int kRepetitions = 20000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kRepetitions; ++i) {
    const double t = choose(ByScore(Draw(n, rng)));
    const double risk = kFamiliar * t * t / 6.0;
    sum += risk;
    squares += risk * risk;
  }
  const double mean = sum / kRepetitions;
  return {mean, std::sqrt((squares / kRepetitions - mean * mean) / kRepetitions)};
}

TEST(GuaranteeSimulation, ConformalRiskControl_HoldsInTheMean) {
  const auto [mean, error] = GeneralisedRisk(50, [](const std::vector<ScoredRow>& rows) {
    return ControlGeneralisedRisk(rows, 0.05)->threshold.value_or(0.0);
  });
  EXPECT_LE(mean + 3.0 * error, 0.05);
  EXPECT_GT(mean, 0.035);  // and is not vacuous
}

TEST(GuaranteeSimulation, EmpiricalGeneralisedRisk_ExceedsItsLevel) {
  const auto [mean, error] = GeneralisedRisk(50, [](const std::vector<ScoredRow>& rows) {
    std::vector<double> wrong;  // the largest threshold with at most 5 % accepted errors
    for (const ScoredRow& row : rows) {
      if (!row.correct) wrong.push_back(row.score);
    }
    std::sort(wrong.begin(), wrong.end());
    const size_t allowed = static_cast<size_t>(0.05 * static_cast<double>(rows.size()));
    return wrong.size() <= allowed ? 1.0 : wrong[allowed];
  });
  EXPECT_GT(mean - 3.0 * error, 0.05);
}

}  // namespace
}  // namespace hydra::calibration
