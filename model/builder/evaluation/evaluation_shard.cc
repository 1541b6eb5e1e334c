#include "model/builder/evaluation/evaluation_shard.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "model/artifact/tensor_file.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxPredictionBytes = size_t{8} << 30;
constexpr size_t kMostRows = size_t{1} << 32;
constexpr char kRowsPrefix[] = "rows.";

size_t BlockCount(size_t rows) { return (rows + kBlockRows - 1) / kBlockRows; }
size_t RowsOf(size_t block, size_t rows) { return std::min(kBlockRows, rows - block * kBlockRows); }

// Calls copy(place in [M, N, C], place in [M, owned rows, C], values) for each member and block of
// a set's shape.
void ForEachRun(const Predictions& shape, const std::vector<size_t>& blocks,
                absl::FunctionRef<void(size_t whole, size_t part, size_t count)> copy) {
  size_t part = 0;
  for (size_t m = 0; m < shape.members; ++m) {
    for (const size_t block : blocks) {
      const size_t count = RowsOf(block, shape.rows) * shape.classes;
      copy((m * shape.rows + block * kBlockRows) * shape.classes, part, count);
      part += count;
    }
  }
}

// What the bytes of a file being encoded are in.
struct SetBuffers {
  std::vector<float> logits;
  std::vector<int64_t> blocks, labels;
};

std::vector<float> OwnedLogits(const Predictions& set, const std::vector<size_t>& blocks) {
  size_t owned = 0;
  for (const size_t block : blocks) owned += RowsOf(block, set.rows);
  std::vector<float> logits(set.members * owned * set.classes);
  ForEachRun(set, blocks, [&](size_t whole, size_t part, size_t count) {
    std::copy_n(set.logits.data() + whole, count, logits.data() + part);
  });
  return logits;
}

struct ShardFile {
  const artifact::TensorFile& file;

  absl::Status Malformed(const std::string& set, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(file.file(), ": ", set, ": ", what));
  }

  absl::StatusOr<std::vector<size_t>> Blocks(const std::string& set, size_t rows) const {
    std::vector<size_t> blocks;
    if (!file.Contains(set + ".blocks")) return blocks;
    HYDRA_ASSIGN_OR_RETURN(const artifact::TensorView view, file.Find(set + ".blocks"));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                           file.Integers(set + ".blocks", {view.values}));
    for (const int64_t value : values) {
      if (value < 0 || static_cast<size_t>(value) >= BlockCount(rows))
        return Malformed(set, absl::StrCat("got block ", value, ", want below ", BlockCount(rows)));
      blocks.push_back(static_cast<size_t>(value));
    }
    return blocks;
  }

  // Puts this shard's blocks of a set into `whole` and marks them in `seen`.
  absl::Status Join(const std::string& set, Predictions& whole, std::vector<bool>& seen) const {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<size_t> blocks, Blocks(set, whole.rows));
    if (blocks.empty()) return absl::OkStatus();
    size_t owned = 0;
    for (const size_t block : blocks) {
      if (seen[block]) return Malformed(set, absl::StrCat("block ", block, " is there twice"));
      seen[block] = true;
      owned += RowsOf(block, whole.rows);
    }
    HYDRA_ASSIGN_OR_RETURN(const artifact::TensorView view, file.Find(set + ".logits"));
    if (view.shape.size() != 3 || view.shape[1] != owned)
      return Malformed(set, absl::StrCat("logits: want ", owned, " rows"));
    if (whole.logits.empty()) {
      whole.members = view.shape[0];
      whole.classes = view.shape[2];
      if (view.values / owned > kMaxPredictionBytes / sizeof(float) / whole.rows)
        return Malformed(set, "logits: more than any evaluation has");
      whole.logits.resize(whole.members * whole.rows * whole.classes);
    }
    HYDRA_ASSIGN_OR_RETURN(const std::vector<float> logits,
                           file.Floats(set + ".logits", {whole.members, owned, whole.classes}));
    ForEachRun(whole, blocks, [&](size_t to, size_t from, size_t count) {
      std::copy_n(logits.data() + from, count, whole.logits.data() + to);
    });
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<size_t>> Labels(const std::string& set, size_t rows) const {
    if (!file.Contains(set + ".labels")) return std::vector<size_t>();
    HYDRA_ASSIGN_OR_RETURN(const std::vector<int64_t> labels,
                           file.Integers(set + ".labels", {rows}));
    return std::vector<size_t>(labels.begin(), labels.end());
  }
};

// Rows of every set; the cost.
absl::Status ReadFacts(const artifact::TensorFile& file, std::map<std::string, size_t>& rows,
                       ensemble::Cost& cost) {
  const std::pair<const char*, decltype(&cost.macs)> costs[] = {
      {"macs", &cost.macs}, {"parameters", &cost.parameters}, {"weight_bytes", &cost.weight_bytes}};
  for (const auto& [key, target] : costs) {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end() || !absl::SimpleAtoi(found->second, target))
      return absl::InvalidArgumentError(absl::StrCat(file.file(), ": metadata: want ", key));
  }
  for (const auto& [key, value] : file.metadata()) {
    absl::string_view set = key;
    if (!absl::ConsumePrefix(&set, kRowsPrefix)) continue;
    size_t& count = rows[std::string(set)];
    if (!absl::SimpleAtoi(value, &count) || count == 0 || count > kMostRows)
      return absl::InvalidArgumentError(absl::StrCat(file.file(), ": ", key, ": got ", value));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> EncodeShardPredictions(const SystemPredictions& predictions) {
  std::map<std::string, SetBuffers> buffers;
  std::map<std::string, artifact::TensorEntry> tensors;
  std::map<std::string, std::string> metadata = {
      {"macs", absl::StrCat(predictions.cost.macs)},
      {"parameters", absl::StrCat(predictions.cost.parameters)},
      {"weight_bytes", absl::StrCat(predictions.cost.weight_bytes)}};
  for (const auto& [name, set] : predictions.sets) {
    metadata[kRowsPrefix + name] = absl::StrCat(set.rows);
    SetBuffers& buffer = buffers[name];
    if (!set.labels.empty()) {
      buffer.labels.assign(set.labels.begin(), set.labels.end());
      tensors[name + ".labels"] = {.dtype = artifact::DType::kI64,
                                   .shape = {set.rows},
                                   .bytes = artifact::BytesOf(buffer.labels)};
    }
    const auto found = predictions.blocks.find(name);
    if (found == predictions.blocks.end() || found->second.empty()) continue;
    buffer.blocks.assign(found->second.begin(), found->second.end());
    buffer.logits = OwnedLogits(set, found->second);
    tensors[name + ".blocks"] = {.dtype = artifact::DType::kI64,
                                 .shape = {buffer.blocks.size()},
                                 .bytes = artifact::BytesOf(buffer.blocks)};
    tensors[name + ".logits"] = {
        .dtype = artifact::DType::kF32,
        .shape = {set.members, buffer.logits.size() / set.members / set.classes, set.classes},
        .bytes = artifact::BytesOf(buffer.logits)};
  }
  return artifact::EncodeTensors(tensors, metadata);
}

absl::StatusOr<SystemPredictions> JoinShardPredictions(const std::string& name,
                                                       const std::vector<ShardRecord>& shards) {
  SystemPredictions whole{.name = name};
  std::map<std::string, size_t> rows;
  std::map<std::string, std::vector<bool>> seen;
  for (const ShardRecord& shard : shards) {
    HYDRA_ASSIGN_OR_RETURN(const artifact::TensorFile file,
                           artifact::TensorFile::Open(
                               absl::StrCat(shard.directory, "/predictions-", name, ".safetensors"),
                               kMaxPredictionBytes));
    std::map<std::string, size_t> own_rows;
    HYDRA_RETURN_IF_ERROR(ReadFacts(file, own_rows, whole.cost));
    if (&shard == &shards.front()) rows = own_rows;
    if (rows != own_rows) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.file(), ": other sets or rows than in ", shards.front().directory));
    }
    for (const auto& [set, count] : rows) {
      Predictions& predictions = whole.sets[set];
      predictions.rows = count;
      seen[set].resize(BlockCount(count));
      HYDRA_RETURN_IF_ERROR(ShardFile{file}.Join(set, predictions, seen[set]));
      HYDRA_ASSIGN_OR_RETURN(predictions.labels, ShardFile{file}.Labels(set, count));
    }
  }
  for (const auto& [set, blocks] : seen) {
    const auto missing = std::find(blocks.begin(), blocks.end(), false);
    if (missing != blocks.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "predictions of ", name, " on ", set, ": no shard has block ", missing - blocks.begin()));
    }
  }
  return whole;
}

}  // namespace hydra::builder
