#include <gmock/gmock.h>

#include <limits>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::ValueOf;

constexpr const char* kPlace = "gs://bkt/run/step-00000042.json";

CheckpointManifest SomeManifest() {
  return {.run = "9f1c",
          .step = 42,
          .time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'766'000'000'123)),
          .writer = "gcsflux 0.1.0",
          .files = {{"step-00000042/aa-state.pt", 4096, 1'766'000'000'000'001, 0xE3069283},
                    {"step-00000041/bb-frozen.pt", 100, 7, 0}},
          .tensors = {{.name = "net.weight",
                       .range = {64, 64 + 24},
                       .dtype = DType::kFloat32,
                       .shape = {2, 3},
                       .offsets = {4, 0},
                       .crc32c = 17},
                      {.name = "turned",
                       .file = 1,
                       .range = {0, 48},
                       .dtype = DType::kFloat64,
                       .shape = {3, 2},
                       .strides = {1, 3}},
                      {.name = "scalar", .range = {4092, 4096}, .dtype = DType::kInt32},
                      {.name = "empty", .range = {8, 8}, .shape = {0, 3}}},
          .metrics = {{"loss", 0.1}, {"steps", -3}},
          .metadata = {{"config", "{\"lr\": 0.1}"}, {"name", "wäre\n"}}};
}

std::string JsonOf(const CheckpointManifest& manifest) { return ValueOf(FormatManifest(manifest)); }

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Manifest, RoundTrips) { EXPECT_EQ(ValueOf(ParseManifest(JsonOf(SomeManifest()), kPlace)), SomeManifest()); }

TEST(Manifest, RefusesEveryTruncation) {
  const std::string json = JsonOf(SomeManifest());
  for (std::size_t length = 0; length < json.size(); ++length) {
    EXPECT_EQ(ErrorOf(ParseManifest(json.substr(0, length), kPlace)).code, ErrorCode::kUndecodable) << length;
  }
}

TEST(Manifest, EndsWithItsLastByte) {
  const std::string json = JsonOf(SomeManifest());
  for (const std::string& behind : {std::string(1, '\0'), std::string("\0{}", 3), std::string("{}")}) {
    EXPECT_EQ(ErrorOf(ParseManifest(json + behind, kPlace)).code, ErrorCode::kUndecodable) << behind;
  }
}

TEST(Manifest, NamesTheDamagedField) {
  struct Case {
    std::string from;
    std::string to;
    std::string words;
  };
  const std::string json = JsonOf(SomeManifest());
  for (const Case& one : {
           Case{"\"gcsflux_checkpoint\":1", "\"gcsflux_checkpoint\":3", "use a newer gcsflux"},
           Case{"\"gcsflux_checkpoint\":1", "\"gcsflux_checkpoint\":\"1\"", "'gcsflux_checkpoint'"},
           Case{"\"step\":42", "\"step\":-1", "this one is -1"},
           Case{"\"step\":42", "\"step\":100000000", "steps go from 0 to 99999999"},
           Case{"\"step\":42", "\"step\":4.2", "'step'"},
           Case{"\"run\":", "\"ran\":", "lacks the field 'run'"},
           Case{"step-00000042/aa-state.pt", "../other/aa-state.pt", "does not lie in a folder of a step"},
           Case{"step-00000042/aa-state.pt", "step-00000042/a/../b", "does not lie in a folder of a step"},
           Case{"step-00000042/aa-state.pt", "step-42/aa-state.pt", "does not lie in a folder of a step"},
           Case{"step-00000042/aa-state.pt", "step-00000041/bb-frozen.pt", "twice"},
           Case{"\"generation\":7", "\"generation\":0", "has no generation"},
           Case{"\"generation\":7", "\"generation\":18446744073709551615", "'generation'"},
           Case{"\"size\":4096", "\"size\":80", "outside its file"},
           Case{"\"size\":4096", "\"size\":-1", "'size'"},
           Case{"\"crc32c\":3808858755", "\"crc32c\":4294967296", "'crc32c'"},
           Case{"\"loss\":0.1", "\"loss\":null", "metric 'loss' is no number"},
           Case{"\"loss\":0.1", "\"loss\":NaN", "no JSON"},
           Case{"\"end\":88", "\"end\":92", "does not fit its bytes"},
           Case{"\"end\":88", "\"end\":18446744073709551615", "outside its file"},
           Case{"\"shape\":[2,3]", "\"shape\":[2,-3]", "does not fit its bytes"},
           Case{"\"shape\":[2,3]", "\"shape\":[4611686018427387904,4]", "does not fit its bytes"},
           Case{"\"strides\":[1,3]", "\"strides\":[1]", "does not fit its bytes"},
           Case{"\"offsets\":[4,0]", "\"offsets\":[-4,0]", "offsets that make no sense"},
           Case{"\"file\":1", "\"file\":2", "a file that the manifest does not name"},
           Case{"\"float64\"", "\"float65\"", "type that is not known"},
           Case{"\"time\":\"2", "\"time\":\"x", "'time'"},
           Case{"\"lr\\\"", std::string("\xff", 1), "no JSON"},
       }) {
    EXPECT_TRUE(testing::FailsWith(ParseManifest(Replaced(json, one.from, one.to), kPlace), ErrorCode::kUndecodable,
                                   AllOf(HasSubstr(kPlace), HasSubstr(one.words))))
        << one.to;
  }
}

StepTensor SliceOf(std::int64_t begin, std::int64_t end) {
  return {.name = "sliced",
          .range = {100, 100 + static_cast<std::uint64_t>(end - begin) * 8},
          .shape = {end - begin, 2},
          .offsets = {begin, 0},
          .whole_shape = {5, 2}};
}

TEST(Manifest, AcceptsSlicesThatTileATensor) {
  CheckpointManifest manifest = SomeManifest();
  manifest.tensors.push_back(SliceOf(2, 5));
  manifest.tensors.push_back(SliceOf(0, 2));
  EXPECT_EQ(ValueOf(ParseManifest(JsonOf(manifest), kPlace)), manifest);
}

TEST(Manifest, RefusesSlicesThatDoNotTileATensor) {
  const auto message_of = [](std::vector<StepTensor> slices) {
    CheckpointManifest manifest = SomeManifest();
    manifest.tensors.insert(manifest.tensors.end(), slices.begin(), slices.end());
    return ErrorOf(FormatManifest(manifest)).message;
  };
  EXPECT_THAT(message_of({SliceOf(0, 2)}), HasSubstr("'sliced' do not make a whole"));
  EXPECT_THAT(message_of({SliceOf(0, 2), SliceOf(3, 5)}), HasSubstr("'sliced' do not make a whole"));
  EXPECT_THAT(message_of({SliceOf(0, 3), SliceOf(2, 4)}), HasSubstr("'sliced' do not make a whole"));
  EXPECT_THAT(message_of({SliceOf(0, 2), SliceOf(2, 6)}), HasSubstr("lies outside the whole"));
  StepTensor other = SliceOf(2, 5);
  other.dtype = DType::kInt32;
  EXPECT_THAT(message_of({SliceOf(0, 2), other}), HasSubstr("differ in the type"));
  other = SliceOf(2, 5);
  other.whole_shape = {6, 2};
  EXPECT_THAT(message_of({SliceOf(0, 2), other}), HasSubstr("differ in the type or shape"));
}

TEST(Manifest, RefusesTooLongAndTooDeepJson) {
  EXPECT_EQ(ErrorOf(ParseManifest(std::string(kMaxManifestBytes + 1, ' '), kPlace)).code, ErrorCode::kUndecodable);
  EXPECT_EQ(ErrorOf(ParseManifest(std::string(1'000'000, '['), kPlace)).code, ErrorCode::kUndecodable);
  const std::string deep = "{\"gcsflux_checkpoint\":" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_EQ(ErrorOf(ParseManifest(deep, kPlace)).code, ErrorCode::kUndecodable);
}

TEST(Manifest, IsNotWrittenIfItsReaderWouldRefuseIt) {
  using Change = void (*)(CheckpointManifest&);
  struct Case {
    Change change;
    std::string words;
  };
  for (const Case& one : {
           Case{[](CheckpointManifest& m) { m.step = -5; }, "step -5"},
           Case{[](CheckpointManifest& m) { m.metrics["loss"] = std::numeric_limits<double>::quiet_NaN(); }, "'loss'"},
           Case{[](CheckpointManifest& m) { m.metrics["loss"] = std::numeric_limits<double>::infinity(); }, "'loss'"},
           Case{[](CheckpointManifest& m) { m.metadata["note"] = "\xff"; }, "'note' is not UTF-8"},
           Case{[](CheckpointManifest& m) { m.tensors[0].name = "\xff"; }, "not UTF-8"},
           Case{[](CheckpointManifest& m) { m.files.clear(); }, "names no file"},
           Case{[](CheckpointManifest& m) { m.metadata["long"] = std::string(kMaxManifestBytes, 'x'); }, "the most"},
       }) {
    CheckpointManifest manifest = SomeManifest();
    one.change(manifest);
    EXPECT_TRUE(testing::FailsWith(FormatManifest(manifest), ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("step"), HasSubstr(one.words))))
        << one.words;
  }
}

}  // namespace
}  // namespace gcsflux
