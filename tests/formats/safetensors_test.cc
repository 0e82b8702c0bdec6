#include "formats/safetensors/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/memory_file.h"
#include "support/fails_with.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr DType kTypes[] = {DType::kBool,       DType::kUint8,          DType::kInt8,         DType::kInt16,
                            DType::kInt32,      DType::kInt64,          DType::kFloat16,      DType::kBfloat16,
                            DType::kFloat32,    DType::kFloat64,        DType::kComplex64,    DType::kUint16,
                            DType::kUint32,     DType::kUint64,         DType::kFloat8E4m3fn, DType::kFloat8E4m3fnuz,
                            DType::kFloat8E5m2, DType::kFloat8E5m2fnuz, DType::kFloat8E8m0fnu};

struct Made {
  SafetensorsContents contents;
  std::vector<std::string> bytes;
};

Made MakeRandom(unsigned seed) {
  std::mt19937 random(seed);
  Made made;
  const auto count = random() % 20;
  for (unsigned i = 0; i < count; ++i) {
    NamedTensor tensor{.name = (random() % 4 == 0 ? "gr\xC3\xB6\xC3\x9F"
                                                    "e \"\\\n"
                                                  : "layer.") +
                               std::to_string(i),
                       .dtype = kTypes[random() % std::size(kTypes)]};
    for (unsigned d = random() % 4; d > 0; --d) tensor.shape.push_back(static_cast<std::int64_t>(random() % 6));
    std::string bytes(static_cast<std::size_t>(*ElementCount(tensor.shape)) * ElementBytes(tensor.dtype), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    made.contents.tensors.push_back(std::move(tensor));
    made.bytes.push_back(std::move(bytes));
  }
  made.contents.has_checksums = random() % 4 != 0;
  if (random() % 2 == 0) made.contents.metadata.emplace_back("note", "\"quoted\"\n\xE2\x82\xAC");
  return made;
}

TensorWriter WriterOf(const std::vector<std::string>& bytes) {
  return [&bytes](std::size_t tensor, const ByteSink& sink) -> Result<void> {
    const std::string_view all = bytes[tensor];
    for (std::size_t at = 0; at < all.size(); at += 7) {
      if (auto put = sink(BytesOf(all.substr(at, 7))); !put.ok()) return put;
    }
    return {};
  };
}

std::string FileOf(const Made& made) {
  std::string file;
  const auto written = WriteSafetensors(made.contents, WriterOf(made.bytes), SinkInto(file));
  EXPECT_TRUE(written.ok()) << written.error().message;
  return file;
}

Made Small() {
  return {
      .contents = {.tensors = {{"a", DType::kFloat32, {2, 3}}, {"b", DType::kInt64, {}}, {"c", DType::kUint8, {0}}}},
      .bytes = {std::string(24, 'a'), "12345678", ""}};
}

TEST(Safetensors, RoundTripsRandomFiles) {
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    const Made made = MakeRandom(seed);
    const std::string file = FileOf(made);
    const ByteSource source = SourceOver(file);
    const auto header = ReadSafetensorsHeader(source);
    ASSERT_TRUE(header.ok()) << "seed " << seed << ": " << header.error().message;
    ASSERT_EQ(header->metadata, made.contents.metadata) << "seed " << seed;
    ASSERT_EQ(header->tensors.size(), made.contents.tensors.size()) << "seed " << seed;
    for (std::size_t i = 0; i < made.contents.tensors.size(); ++i) {
      const NamedTensor& want = made.contents.tensors[i];
      const SafeTensor& tensor = TensorIn(*header, want.name);
      ASSERT_EQ(tensor.dtype, want.dtype) << "seed " << seed;
      ASSERT_EQ(tensor.shape, want.shape) << "seed " << seed;
      ASSERT_EQ(tensor.range.begin % ElementBytes(want.dtype), 0U) << "seed " << seed;
      ASSERT_EQ(tensor.crc32c.has_value(), made.contents.has_checksums) << "seed " << seed;
      const auto bytes = ReadSafeTensor(source, tensor);
      ASSERT_TRUE(bytes.ok()) << "seed " << seed << ": " << bytes.error().message;
      ASSERT_EQ(*bytes, made.bytes[i]) << "seed " << seed;
    }
  }
}

TEST(Safetensors, ReadsTheHeaderInOneReadOrTwo) {
  const std::string small = FileOf(Small());
  CountedSource one(SourceOver(small));
  EXPECT_TRUE(ReadSafetensorsHeader(one.counted).ok());
  EXPECT_EQ(one.reads, 1);
  Made large;
  for (int i = 0; i < 5'000; ++i) {
    large.contents.tensors.push_back({"layer" + std::to_string(i), DType::kUint8, {1}});
    large.bytes.emplace_back("x");
  }
  const std::string file = FileOf(large);
  CountedSource two(SourceOver(file));
  EXPECT_TRUE(ReadSafetensorsHeader(two.counted).ok());
  EXPECT_EQ(two.reads, 2);
}

TEST(Safetensors, ChecksumsAreNotShownAsMetadata) {
  const auto header = ReadSafetensorsHeader(SourceOver(FileOf(Small())));
  EXPECT_THAT(header->metadata, ElementsAre(Pair("format", "pt")));
}

TEST(Safetensors, RefusesToWriteUnreadableFiles) {
  struct Case {
    const char* why;
    SafetensorsContents contents;
  };
  for (const Case& one :
       {Case{"twice", {.tensors = {{"a"}, {"a"}}}}, Case{"twice", {.metadata = {{"a", ""}, {"a", ""}}}},
        Case{"__metadata__", {.tensors = {{"__metadata__"}}}}, Case{"UTF-8", {.tensors = {{"\xFF"}}}},
        Case{"UTF-8", {.metadata = {{"a", "\xFF"}}}}, Case{"UTF-8", {.metadata = {{"\xFF", ""}}}},
        Case{"crc32c:", {.metadata = {{"crc32c:a", ""}}}}, Case{"complex128", {.tensors = {{"a", DType::kComplex128}}}},
        Case{"shape", {.tensors = {{"a", DType::kInt8, {-1}}}}},
        Case{"shape", {.tensors = {{"a", DType::kInt64, {1LL << 62}}}}},
        Case{"shape", {.tensors = {{"a", DType::kInt64, {1LL << 60}}, {"b", DType::kInt64, {1LL << 60}}}}},
        Case{"100 MB", {.metadata = {{"a", std::string(100'000'000, 'x')}}}}}) {
    std::string file;
    EXPECT_TRUE(testing::FailsWith(WriteSafetensors(one.contents, WriterOf({"", ""}), SinkInto(file)),
                                   ErrorCode::kInvalidArgument, HasSubstr(one.why)))
        << one.why;
    EXPECT_TRUE(file.empty()) << one.why;
  }
}

TEST(Safetensors, RefusesBytesOfAnotherLength) {
  for (const bool has_checksums : {true, false}) {
    for (const char* bytes : {"1234567", "123456789"}) {
      std::string file;
      const SafetensorsContents contents{.tensors = {{"a", DType::kInt64, {}}}, .has_checksums = has_checksums};
      const auto written = WriteSafetensors(contents, WriterOf({bytes}), SinkInto(file));
      ASSERT_FALSE(written.ok());
      EXPECT_THAT(written.error().message, HasSubstr("not as many"));
    }
  }
}

// ----------------------------------------------------------------------------------------------------- sharded files

Result<SafetensorsIndex> ReadIndex(std::string_view text) { return ReadSafetensorsIndex(SourceOver(text)); }

TEST(SafetensorsIndex, NamesTheFileOfEachTensor) {
  const Metadata weight_map = {{"a", "x-1.safetensors"}, {"b \"", "sub/x-2.safetensors"}, {"c", "x-1.safetensors"}};
  const auto index = ReadIndex(IndexOf(weight_map));
  ASSERT_TRUE(index.ok()) << index.error().message;
  EXPECT_EQ(index->weight_map, weight_map);
  EXPECT_THAT(index->Files(), ElementsAre("sub/x-2.safetensors", "x-1.safetensors"));
  EXPECT_TRUE(ReadIndex(IndexOf({})).ok());
}

TEST(SafetensorsIndex, IgnoresOtherMetadata) {
  const auto index = ReadIndex(
      R"({"metadata": {"total_size": 5, "of": {"total_size": 7, "x": [1.5, null, {}]}}, "weight_map": {"a": "f"}, "more": [1]})");
  ASSERT_TRUE(index.ok()) << index.error().message;
}

TEST(SafetensorsIndex, RefusesFilesOutsideItsFolder) {
  for (const char* file :
       {"/etc/passwd", "../x", "a/../../x", "a//b", "", ".", "a/.", "a/", "gs://b/x", "a\\\\..\\\\b", "a\\u0000b"}) {
    const auto index = ReadIndex("{\"weight_map\": {\"w\": \"" + std::string(file) + "\"}}");
    ASSERT_FALSE(index.ok()) << file;
    EXPECT_EQ(index.error().code, ErrorCode::kUndecodable);
    EXPECT_THAT(index.error().message, HasSubstr("outside of the index's folder")) << file;
  }
}

TEST(SafetensorsIndex, RefusesOtherJson) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), std::string("5"), std::string("{\"weight_map\": []}"),
        std::string("{\"weight_map\": {\"a\": 5}}"), std::string("{\"weight_map\": {\"a\": {}}}"),
        std::string("{\"weight_map\": {\"a\": \"f\", \"a\": \"g\"}}"), std::string("{\"weight_map\": null}"),
        std::string("{\"weight_map\": {}, \"weight_map\": {}}"), std::string("{\"weight_map\": {}} x"),
        "{\"metadata\": " + std::string(1'000'000, '['), "{\"weight_map\": {\"a\": " + std::string(1'000'000, '[')}) {
    const auto index = ReadIndex(text);
    ASSERT_FALSE(index.ok()) << text.substr(0, 60);
    EXPECT_EQ(index.error().code, ErrorCode::kUndecodable);
  }
}

SafetensorsHeader Slice(std::string name, std::vector<std::int64_t> shape, std::vector<std::int64_t> offsets) {
  return {.file = "test.pt",
          .tensors = {{.name = std::move(name),
                       .type = "F32",
                       .dtype = DType::kFloat32,
                       .shape = std::move(shape),
                       .saved_offsets = std::move(offsets)}}};
}

TEST(JoinSlices, JoinsAGrid) {
  const std::vector<SafetensorsHeader> headers = {Slice("w", {2, 3}, {0, 0}), Slice("w", {2, 1}, {0, 3}),
                                                  Slice("w", {5, 3}, {2, 0}), Slice("w", {5, 1}, {2, 3}),
                                                  Slice("b", {4}, {})};
  const auto joined = JoinSlices(headers);
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  ASSERT_EQ(joined->size(), 2U);
  EXPECT_EQ((*joined)[0].name, "b");
  EXPECT_THAT((*joined)[0].shape, ElementsAre(4));
  EXPECT_THAT((*joined)[1].shape, ElementsAre(7, 4));
  EXPECT_EQ((*joined)[1].slices.size(), 4U);
}

TEST(JoinSlices, JoinsSlicesThatAreNoGrid) {
  const std::vector<SafetensorsHeader> headers = {Slice("w", {2, 4}, {0, 0}), Slice("w", {1, 1}, {2, 0}),
                                                  Slice("w", {1, 3}, {2, 1})};
  const auto joined = JoinSlices(headers);
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  EXPECT_THAT(joined->front().shape, ElementsAre(3, 4));
}

TEST(JoinSlices, RefusesHolesOverlapsAndOtherTensors) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  auto other_type = Slice("w", {2}, {2});
  other_type.tensors[0].type = "F16";
  const std::vector<std::vector<SafetensorsHeader>> cases = {
      {Slice("w", {2}, {0}), Slice("w", {2}, {3})},
      {Slice("w", {2}, {0}), Slice("w", {2}, {1})},
      {Slice("w", {2}, {0}), Slice("w", {2}, {0})},
      {Slice("w", {2}, {2})},
      {Slice("w", {2}, {0}), Slice("w", {2}, {})},
      {Slice("w", {2}, {}), Slice("w", {2}, {})},
      {Slice("w", {}, {}), Slice("w", {}, {})},
      {Slice("w", {2}, {0}), Slice("w", {2, 2}, {2, 0})},
      {Slice("w", {2}, {0}), other_type},
      {Slice("w", {2, 2}, {0, 0}), Slice("w", {2, 2}, {0, 0}), Slice("w", {2, 2}, {0, 2}), Slice("w", {2, 2}, {2, 0})},
      {Slice("w", {2, 2}, {0, 0}), Slice("w", {2, 2}, {2, 2})},
      {Slice("w", {2, 2}, {0, 0}), Slice("w", {2, 3}, {2, 0})},
      {Slice("w", {2}, {0}), Slice("w", {most}, {2})}};
  for (const auto& headers : cases) {
    const auto joined = JoinSlices(headers);
    EXPECT_FALSE(joined.ok()) << &headers - cases.data();
  }
}

TEST(JoinSlices, ReadsSlicesOfPyTorch) {
  Made made{
      .contents = {.tensors = {{"w", DType::kFloat32, {2}}},
                   .metadata = {{"DCP_VERSION", "1.0"}, {"DCP_SHARDING_INFO", R"({"w": {"saved_offsets": [4]}})"}}},
      .bytes = {"12345678"}};
  const auto header = ReadSafetensorsHeader(SourceOver(FileOf(made)));
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_THAT(TensorIn(*header, "w").saved_offsets, ElementsAre(4));
  for (const char* info : {"", "[]", R"({"v": {"saved_offsets": [4]}})", R"({"w": {"saved_offsets": [4, 4]}})",
                           R"({"w": {"saved_offsets": [-4]}})", R"({"w": {"saved_offsets": [[4]]}})",
                           R"({"w": {"saved_offsets": [18446744073709551615]}})", R"({"w": {"at": [4]}})",
                           R"({"w": {"saved_offsets": [4]}, "w": {"saved_offsets": [4]}})", R"({"w": 5})"}) {
    made.contents.metadata.back().second = info;
    EXPECT_FALSE(ReadSafetensorsHeader(SourceOver(FileOf(made))).ok()) << info;
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
