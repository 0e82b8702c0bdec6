#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/made_tensors.h"
#include "formats/memory_file.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::HasSubstr;

std::string SafetensorsWith(std::string_view json, std::size_t data_bytes) {
  return Number(json.size(), 8) + std::string(json) + std::string(data_bytes, 'd');
}

Result<SafetensorsHeader> Header(const std::string& file) { return ReadSafetensorsHeader(SourceOver(file)); }

// {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}} with other parts.
struct Parts {
  std::string dtype = "\"F32\"";
  std::string shape = "[2]";
  std::string offsets = "[0, 8]";
  std::string more = {};
};

std::string JsonOf(const Parts& parts) {
  return R"({"w": {"dtype": )" + parts.dtype + R"(, "shape": )" + parts.shape + R"(, "data_offsets": )" +
         parts.offsets + parts.more + "}}";
}

TEST(BadSafetensors, RefusesWrongParts) {
  ASSERT_TRUE(Header(SafetensorsWith(JsonOf({}), 8)).ok()) << "the cases change it";
  for (const Parts& parts : {Parts{.dtype = "5"},
                             Parts{.dtype = "null"},
                             Parts{.dtype = "[\"F32\"]"},
                             Parts{.dtype = "\"F64\""},
                             Parts{.dtype = "{}"},
                             Parts{.shape = "2"},
                             Parts{.shape = "[3]"},
                             Parts{.shape = "[1]"},
                             Parts{.shape = "[-2]"},
                             Parts{.shape = "[2.0]"},
                             Parts{.shape = "[\"2\"]"},
                             Parts{.shape = "[[2]]"},
                             Parts{.shape = "[{}]"},
                             Parts{.shape = "null"},
                             Parts{.shape = "{}"},
                             Parts{.shape = "[9223372036854775808]"},
                             Parts{.shape = "[9223372036854775807, 3]"},
                             Parts{.shape = "[4611686018427387904, 4, 2]"},
                             Parts{.shape = "[18446744073709551616]"},
                             Parts{.offsets = "[0]"},
                             Parts{.offsets = "[]"},
                             Parts{.offsets = "[0, 8, 8]"},
                             Parts{.offsets = "[8, 0]"},
                             Parts{.offsets = "[0, 9]"},
                             Parts{.offsets = "[0, 7]"},
                             Parts{.offsets = "[1, 8]"},
                             Parts{.offsets = "[-1, 7]"},
                             Parts{.offsets = "[0, 9223372036854775808]"},
                             Parts{.offsets = "[18446744073709551608, 0]"},
                             Parts{.offsets = "[0, 1e1]"},
                             Parts{.offsets = "\"0, 8\""},
                             Parts{.more = R"(, "dtype": "F32")"},
                             Parts{.more = R"(, "shape": [2])"},
                             Parts{.more = R"(, "stride": [1])"}}) {
    const std::string json = JsonOf(parts);
    const auto header = Header(SafetensorsWith(json, 8));
    ASSERT_FALSE(header.ok()) << json;
    ExpectRefused(header.error(), json);
  }
}

TEST(BadSafetensors, RefusesOtherHeaders) {
  const std::string tensor = R"({"dtype": "U8", "shape": [4], "data_offsets": [0, 4]})";
  const std::string second = R"({"dtype": "U8", "shape": [4], "data_offsets": [4, 8]})";
  const std::string half = R"({"dtype": "U8", "shape": [6], "data_offsets": [2, 8]})";
  const std::vector<std::string> headers = {
      std::string(),
      std::string("[]"),
      std::string("5"),
      std::string("null"),
      std::string("\"w\""),
      std::string("{"),
      std::string("{}"),
      R"({"w": )" + tensor + "}",
      R"({"w": 5})" + std::string(),
      R"({"w": [], "v": )" + tensor + "}",
      R"({"w": {}})" + std::string(),
      R"({"w": )" + tensor + R"(, "w": )" + second + "}",
      R"({"w": )" + tensor + R"(, "v": )" + half + "}",
      R"({"v": )" + second + "}",
      R"({"w": )" + tensor + R"(, "v": )" + second + R"(, "__metadata__": 5})",
      R"({"w": )" + tensor + R"(, "v": )" + second + R"(, "__metadata__": {"a": 5}})",
      R"({"w": )" + tensor + R"(, "v": )" + second + R"(, "__metadata__": {"a": {}}})",
      R"({"w": )" + tensor + R"(, "v": )" + second + R"(, "__metadata__": {"a": "", "a": ""}})",
      R"({"__metadata__": {}, "w": )" + tensor + R"(, "v": )" + second + R"(, "__metadata__": {}})",
      R"({"w": )" + tensor + R"(, "v": )" + second + "} x",
      R"({"w": )" + tensor + R"(, "v": )" + second + "}" + std::string(1, '\0'),
      R"({"w": )" + tensor + R"(, "v": )" + second + "}" + std::string("\0 x", 3),
      R"({"w)" + std::string("\xFF") + "\": " + tensor + "}",
      std::string(1'000'000, '['),
      std::string(1'000'000, '{'),
      "{\"w\": " + std::string(1'000'000, '[')};
  for (const std::string& json : headers) {
    const auto header = Header(SafetensorsWith(json, 8));
    ASSERT_FALSE(header.ok()) << json.substr(0, 200);
    ExpectRefused(header.error(), json.substr(0, 200));
  }
}

TEST(BadSafetensors, RefusesAnUnsupportedTypeOnRead) {
  const std::string json = R"({"w": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},)"
                           R"( "f4": {"dtype": "F4", "shape": [8], "data_offsets": [4, 8]},)"
                           R"( "new": {"dtype": "Q3", "shape": [8], "data_offsets": [8, 16]}})";
  const std::string file = SafetensorsWith(json, 16);
  const auto header = Header(file);
  ASSERT_TRUE(header.ok()) << header.error().message;
  const ByteSource source = SourceOver(file);
  EXPECT_TRUE(ReadSafeTensor(source, TensorIn(*header, "w")).ok());
  EXPECT_THAT(testing::ErrorOf(ReadSafeTensor(source, TensorIn(*header, "f4"))).message, HasSubstr("'F4'"));
  EXPECT_THAT(testing::ErrorOf(ReadSafeTensor(source, TensorIn(*header, "new"))).message, HasSubstr("'Q3'"));
}

TEST(BadSafetensors, AllocatesNothingForFalseLengths) {
  const std::string json = JsonOf({});
  for (const std::uint64_t lie : {std::uint64_t{0}, json.size() - 1, json.size() + 1, json.size() + 8, json.size() + 9,
                                  std::uint64_t{100'000'000}, std::uint64_t{100'000'001}, std::uint64_t{1'000'000'000},
                                  std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const auto header = Header(Number(lie, 8) + json + "12345678");
    ASSERT_FALSE(header.ok()) << lie;
    ExpectRefused(header.error(), std::to_string(lie));
  }
}

// The source claims the size: a header of 1 GB is refused before it is read.
TEST(BadSafetensors, DoesNotReadAHeaderOf1GB) {
  std::uint64_t read_bytes = 0;
  const ByteSource source{.name = "test.pt",
                          .size = std::uint64_t{1} << 40,
                          .read_at = [&](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
                            EXPECT_EQ(offset, 0U);
                            read_bytes += into.size();
                            const std::string number = Number(1'000'000'000, 8);
                            std::fill(into.begin(), into.end(), std::byte{'{'});
                            std::copy(BytesOf(number).begin(), BytesOf(number).end(), into.begin());
                            return {};
                          }};
  EXPECT_FALSE(ReadSafetensorsHeader(source).ok());
  EXPECT_LE(read_bytes, 256U << 10);
}

std::string Written() {
  std::string file;
  const SafetensorsContents contents{.tensors = {{"weight", DType::kFloat32, {2, 3}}, {"bias", DType::kInt16, {5}}}};
  const TensorWriter writer = [](std::size_t tensor, const ByteSink& sink) {
    return sink(BytesOf(tensor == 0 ? "twenty-four bytes, known" : "ten bytes!"));
  };
  EXPECT_TRUE(WriteSafetensors(contents, writer, SinkInto(file)).ok());
  return file;
}

// The content of a file as one text; or the error.
Result<std::string> Everything(const std::string& file) {
  const auto header = Header(file);
  if (!header.ok()) return header.error();
  std::string all;
  for (const SafeTensor& tensor : header->tensors) {
    const auto bytes = ReadSafeTensor(SourceOver(file), tensor);
    if (!bytes.ok()) return bytes.error();
    all += tensor.name + " " + tensor.type + " " + *bytes;
    for (const std::int64_t size : tensor.shape) all += " " + std::to_string(size);
  }
  return all;
}

TEST(BadSafetensors, DetectsEveryTruncation) {
  const std::string file = Written();
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(Everything(file.substr(0, size)).ok()) << size;
  EXPECT_FALSE(Everything(file + "x").ok());
}

TEST(BadSafetensors, DetectsEveryHarmfulFlippedBit) {
  const std::string file = Written();
  const std::string want = *Everything(file);
  int harmless = 0;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto got = Everything(damaged);
    if (!got.ok()) {
      ExpectRefused(got.error(), "bit " + std::to_string(bit));
      continue;
    }
    ++harmless;
    ASSERT_EQ(*got, want) << "bit " << bit;
  }
  EXPECT_LT(harmless, 200) << "of the metadata that is not ours, and of spaces";
}

TEST(BadSafetensors, ReportsAFlippedByteOfATensorAsCorrupted) {
  const std::string file = Written();
  EXPECT_TRUE(
      testing::FailsWith(Everything(Patched(file, file.size() - 3, "?")), ErrorCode::kCorrupted, HasSubstr("'bias'")));
}

TEST(BadSafetensors, ReportsAMissingOrForeignChecksumAsCorrupted) {
  const std::string file = Written();
  for (const char* other : {"brc32c:bias", "crc32c:bios"}) {
    EXPECT_TRUE(testing::FailsWith(Everything(Patched(file, file.find("crc32c:bias"), other)), ErrorCode::kCorrupted))
        << other;
  }
}

TEST(BadSafetensors, SurvivesRandomDamage) {
  const std::string file = Written();
  const std::string want = *Everything(file);
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    std::string damaged = file;
    for (unsigned i = 0; i <= random() % 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto got = Everything(damaged);
    if (!got.ok()) ExpectRefused(got.error(), "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
