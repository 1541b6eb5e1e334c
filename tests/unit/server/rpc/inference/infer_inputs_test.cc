#include "server/rpc/inference/infer_inputs.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {
namespace {

// Elements of the BYTES type in their raw form.
std::string RawTexts(const std::vector<std::string>& texts) {
  std::string raw;
  for (const std::string& text : texts) {
    const auto length = static_cast<uint32_t>(text.size());
    raw.append(reinterpret_cast<const char*>(&length), sizeof(length));
    raw += text;
  }
  return raw;
}

inference::ModelInferRequest RequestOf(const std::string& name, const std::string& datatype,
                                       const std::vector<int64_t>& shape) {
  inference::ModelInferRequest request;
  auto& input = *request.add_inputs();
  input.set_name(name);
  input.set_datatype(datatype);
  for (const int64_t dimension : shape) input.add_shape(dimension);
  return request;
}

class ReadInferInputsTest : public ::testing::Test {
 protected:
  absl::StatusOr<InputRows> Read(const inference::ModelInferRequest& request) {
    return ReadInferInputs(request, reader_, 4);
  }

  std::string Refusal(const inference::ModelInferRequest& request) {
    const absl::Status status = Read(request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    const auto violations = base::FieldViolationsOf(status);
    return violations.empty() ? "" : violations[0].path + " " + base::ReasonOf(status);
  }

  const policy::ServedBundle bundle_ = fakes::FakeServedBundle();
  const RowReader reader_{bundle_,
                          {.image = {.max_bytes = 1000, .max_pixels = 100, .max_side = 16}}};
};

TEST_F(ReadInferInputsTest, EveryFormOfTheSameInput_GivesTheSameRow) {
  auto image = RequestOf("image", "BYTES", {1});
  image.add_raw_input_contents(RawTexts({fakes::TinyPng()}));
  auto typed_image = RequestOf("image", "BYTES", {1, 1});
  typed_image.mutable_inputs(0)->mutable_contents()->add_bytes_contents(fakes::TinyPng());
  auto pixels = RequestOf("pixels", "UINT8", {1, 1, 2, 2});
  pixels.add_raw_input_contents(std::string("\x00\x55\xaa\xff", 4));
  auto typed_pixels = RequestOf("pixels", "UINT8", {1, 1, 2, 2});
  for (const uint32_t value : {0, 85, 170, 255}) {
    typed_pixels.mutable_inputs(0)->mutable_contents()->add_uint_contents(value);
  }
  const auto rows = Read(image);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->count, 1u);
  for (const auto& request : {typed_image, pixels, typed_pixels}) {
    const auto other = Read(request);
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(other->rows, rows->rows);
  }
}

TEST_F(ReadInferInputsTest, Values_KeepTheOrderOfTheBatch) {
  auto raw = RequestOf("values", "FP32", {2, 1, 2, 2});
  raw.add_raw_input_contents(fakes::FloatBytes({1, 2, 3, 4, 5, 6, 7, 8}));
  auto typed = RequestOf("values", "FP32", {2, 1, 2, 2});
  for (int i = 1; i <= 8; ++i) {
    typed.mutable_inputs(0)->mutable_contents()->add_fp32_contents(static_cast<float>(i));
  }
  for (const auto& request : {raw, typed}) {
    const auto rows = Read(request);
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_EQ(rows->count, 2u);
    EXPECT_EQ(rows->rows.values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  }
}

TEST_F(ReadInferInputsTest, Texts_AreReadFromRawAndTypedContents) {
  const policy::ServedBundle bundle = fakes::FakeTextBundle();
  const RowReader reader(bundle, {.max_text_bytes = 100});
  auto raw = RequestOf("text", "BYTES", {2});
  raw.add_raw_input_contents(RawTexts({"play music", ""}));
  auto typed = RequestOf("text", "BYTES", {2, 1});
  typed.mutable_inputs(0)->mutable_contents()->add_bytes_contents("play music");
  typed.mutable_inputs(0)->mutable_contents()->add_bytes_contents("");
  for (const auto& request : {raw, typed}) {
    const auto rows = ReadInferInputs(request, reader, 4);
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_EQ(rows->count, 2u);
    EXPECT_EQ(rows->rows, (runtime::Rows{.token_ids = {2, 4, 5, 3, 2, 3}, .lengths = {4, 2}}));
  }
  const auto refusal = [&reader](const inference::ModelInferRequest& request) {
    const absl::Status status = ReadInferInputs(request, reader, 4).status();
    const auto violations = base::FieldViolationsOf(status);
    return violations.empty() ? "" : violations[0].path + " " + base::ReasonOf(status);
  };
  auto malformed = RequestOf("text", "BYTES", {2});
  malformed.add_raw_input_contents(RawTexts({"play", "\xff"}));
  EXPECT_EQ(refusal(malformed), "raw_input_contents[0][1] BAD_TEXT");
  auto endless = RequestOf("text", "BYTES", {1});
  endless.add_raw_input_contents(RawTexts({std::string(101, 'a')}));
  EXPECT_EQ(refusal(endless), "raw_input_contents[0][0] TEXT_TOO_LONG");
  EXPECT_EQ(refusal(RequestOf("image", "BYTES", {1})), "inputs[0].name WRONG_INPUT_KIND");
  EXPECT_EQ(refusal(RequestOf("picture", "BYTES", {1})), "inputs[0].name UNKNOWN_TENSOR");
}

TEST_F(ReadInferInputsTest, InputTensors_AreExactlyOneOfTheKnown) {
  EXPECT_EQ(Refusal({}), "inputs WRONG_INPUT_COUNT");
  EXPECT_EQ(Refusal(RequestOf("picture", "BYTES", {1})), "inputs[0].name UNKNOWN_TENSOR");
  EXPECT_EQ(Refusal(RequestOf("text", "BYTES", {1})), "inputs[0].name WRONG_INPUT_KIND");
  EXPECT_EQ(Refusal(RequestOf("image", "FP32", {1})), "inputs[0].datatype WRONG_DTYPE");
  auto twice = RequestOf("values", "FP32", {1, 1, 2, 2});
  *twice.add_inputs() = twice.inputs(0);
  EXPECT_EQ(Refusal(twice), "inputs[1].name DUPLICATE_TENSOR");
  twice.mutable_inputs(1)->set_name("pixels");
  EXPECT_EQ(Refusal(twice), "inputs WRONG_INPUT_COUNT");
}

TEST_F(ReadInferInputsTest, Shapes_MustFit) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {})), "inputs[0].shape WRONG_SHAPE");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {1, 2, 2})), "inputs[0].shape WRONG_SHAPE");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {1, 1, 2, huge})), "inputs[0].shape WRONG_SHAPE");
  EXPECT_EQ(Refusal(RequestOf("image", "BYTES", {1, 2})), "inputs[0].shape WRONG_SHAPE");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {0, 1, 2, 2})), "inputs[0].shape EMPTY_BATCH");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {-1, 1, 2, 2})), "inputs[0].shape EMPTY_BATCH");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {5, 1, 2, 2})), "inputs[0].shape BATCH_TOO_LARGE");
  EXPECT_EQ(Refusal(RequestOf("values", "FP32", {huge, 1, 2, 2})),
            "inputs[0].shape BATCH_TOO_LARGE");
}

TEST_F(ReadInferInputsTest, Contents_MustComeOnceAndInFull) {
  auto request = RequestOf("values", "FP32", {1, 1, 2, 2});
  EXPECT_EQ(Refusal(request), "inputs[0].contents.fp32_contents WRONG_BYTE_COUNT");
  request.add_raw_input_contents(std::string(15, '\0'));
  EXPECT_EQ(Refusal(request), "raw_input_contents[0] WRONG_BYTE_COUNT");
  request.add_raw_input_contents("");
  EXPECT_EQ(Refusal(request), "raw_input_contents WRONG_CONTENTS");
  request.mutable_raw_input_contents()->RemoveLast();
  request.mutable_inputs(0)->mutable_contents();
  EXPECT_EQ(Refusal(request), "inputs[0].contents WRONG_CONTENTS");
  auto pixels = RequestOf("pixels", "UINT8", {1, 1, 2, 2});
  pixels.mutable_inputs(0)->mutable_contents()->add_uint_contents(256);
  EXPECT_EQ(Refusal(pixels), "inputs[0].contents.uint_contents WRONG_CONTENTS");
}

TEST_F(ReadInferInputsTest, RawTexts_MustEndWhereTheySay) {
  const std::string two = RawTexts({"ab", "c"});
  for (const std::string& raw :
       {std::string(), std::string("\x01", 1), RawTexts({"abc"}), two.substr(0, two.size() - 1),
        two + "x", RawTexts({"a", "b", "c"}), std::string("\xff\xff\xff\xff", 4)}) {
    auto request = RequestOf("image", "BYTES", {2});
    request.add_raw_input_contents(raw);
    EXPECT_EQ(Refusal(request), "raw_input_contents[0] WRONG_CONTENTS") << raw.size();
  }
}

TEST_F(ReadInferInputsTest, BadElement_NamesItsRow) {
  auto values = RequestOf("values", "FP32", {2, 1, 2, 2});
  values.add_raw_input_contents(fakes::FloatBytes({0, 0, 0, 0, 0, INFINITY, 0, 0}));
  EXPECT_EQ(Refusal(values), "raw_input_contents[0][1] NON_FINITE_INPUT");
  auto image = RequestOf("image", "BYTES", {1});
  image.mutable_inputs(0)->mutable_contents()->add_bytes_contents("no image");
  EXPECT_EQ(Refusal(image), "inputs[0].contents.bytes_contents[0] BAD_IMAGE");
}

}  // namespace
}  // namespace hydra::rpc
