// How predictions are shown.
#pragma once

#include <cstddef>
#include <string>

#include "client/input/source.h"
#include "client/terminal/table.h"
#include "hydra/v1/prediction.pb.h"

namespace hydra::cli {

// Collects answers into one table and its summary.  Not thread-safe.
class PredictTable {
 public:
  // What a response says of all its answers.
  void AddResponse(const v1::PredictResponse& response);
  void AddRow(const input::NamedInput& input, const v1::Prediction& prediction);

  size_t failed() const { return failed_; }
  bool empty() const { return predicted_ + abstained_ + failed_ == 0; }
  std::string ToString() const;

 private:
  void Count(const input::NamedInput& input, const v1::Prediction& prediction);
  std::string Summary() const;

  terminal::Table table_{{{"input"},
                          {"truth", terminal::Align::kRight},
                          {"label"},
                          {"probability", terminal::Align::kRight},
                          {"total", terminal::Align::kRight},
                          {"aleatoric", terminal::Align::kRight},
                          {"epistemic", terminal::Align::kRight},
                          {"decision"},
                          {"why"}}};
  v1::PredictResponse last_;  // without its predictions
  size_t predicted_ = 0;
  size_t abstained_ = 0;
  size_t failed_ = 0;
  size_t truncated_ = 0;
  size_t judged_ = 0;  // predicted inputs whose truth is known
  size_t right_ = 0;
};

// The answer to one input with what its response says of all answers, ended by a newline.
std::string PredictionLine(const input::NamedInput& input, const v1::Prediction& prediction,
                           const v1::PredictResponse& response);

}  // namespace hydra::cli
