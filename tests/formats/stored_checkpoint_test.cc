#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::HasSubstr;
using Files = std::map<std::string, std::string>;

internal::OpenShards ShardsIn(const Files& files) {
  return [&files](std::span<const std::string> names, bool) -> Result<std::vector<ByteSource>> {
    std::vector<ByteSource> sources;
    for (const std::string& name : names) sources.push_back(SourceOver(files.at(name)));
    return sources;
  };
}

TEST(StoredCheckpoint, HasTheSameTensorsInEachFormat) {
  const std::vector<MadeTensor> tensors = SomeTensors();
  const std::string torch = TorchFileOf(tensors);
  const std::string safetensors = SafetensorsOf(tensors);
  const auto first = OpenedAny(torch);
  const auto second = OpenedAny(safetensors);
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(first->format(), CheckpointFormat::kTorchFile);
  EXPECT_EQ(second->format(), CheckpointFormat::kSafetensors);
  ExpectHolds(*first, tensors);
  ExpectHolds(*second, tensors);
  EXPECT_EQ(first->size(), torch.size());
  EXPECT_EQ(second->size(), safetensors.size());
  EXPECT_EQ(testing::ErrorOf(second->Find("none")).code, ErrorCode::kNotFound);
}

// 2.4 MB, whose first and last 256 KB are cached since the detection of the format: the checksums of reads inside,
// outside and across these ends belong each to their own tensor.
TEST(StoredCheckpoint, VerifiesReadsInsideAndOutsideTheCachedEnds) {
  std::vector<MadeTensor> tensors;
  for (unsigned i = 0; i < 30; ++i) {
    tensors.push_back({"layer" + std::to_string(i), DType::kUint8, {80'000}, Varied(80'000, i)});
  }
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    const auto checkpoint = OpenedAny(file);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    for (const bool is_reversed : {false, true}) {
      std::vector<StoredTensor> stored = checkpoint->tensors();
      if (is_reversed) std::reverse(stored.begin(), stored.end());
      std::map<std::string, std::string> bytes;
      std::vector<TensorRead> reads;
      for (const StoredTensor& tensor : stored) {
        std::string& into = bytes[tensor.name];
        into.resize(80'000);
        reads.push_back({&tensor, std::as_writable_bytes(std::span(into))});
      }
      const auto read = checkpoint->ReadTensors(reads);
      ASSERT_TRUE(read.ok()) << read.error().message;
      for (const MadeTensor& tensor : tensors) EXPECT_TRUE(bytes[tensor.name] == tensor.bytes) << tensor.name;
    }
  }
}

TEST(StoredCheckpoint, ReadsTheFilesOfAnIndex) {
  const std::vector<MadeTensor> tensors = SomeTensors();
  const Files files = {{"a.safetensors", SafetensorsOf({tensors[0], tensors[2]})},
                       {"b.safetensors", SafetensorsOf({tensors[1], tensors[3], tensors[4]})}};
  const std::string index = IndexOf({{"net.weight", "a.safetensors"},
                                     {"steps", "a.safetensors"},
                                     {"net.bias", "b.safetensors"},
                                     {"nothing", "b.safetensors"},
                                     {"mask", "b.safetensors"}});
  const auto checkpoint = internal::OpenFileOrIndex(SourceOver(index), ShardsIn(files));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  ExpectHolds(*checkpoint, tensors);
  EXPECT_EQ(testing::ErrorOf(OpenedAny(index)).code, ErrorCode::kUndecodable);
}

TEST(StoredCheckpoint, RefusesAnIndexWithAMissingTensor) {
  const Files files = {{"a.safetensors", SafetensorsOf({SomeTensors()[0]})}};
  const std::string index = IndexOf({{"net.weight", "a.safetensors"}, {"net.bias", "a.safetensors"}});
  const Error error = testing::ErrorOf(internal::OpenFileOrIndex(SourceOver(index), ShardsIn(files)));
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("'a.safetensors' should have the tensor 'net.bias'"));
}

TEST(StoredCheckpoint, RefusesOtherFiles) {
  for (const std::string& file : {std::string(), std::string("hello"), std::string(100, '\0'),
                                  std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15)}) {
    EXPECT_EQ(testing::ErrorOf(OpenedAny(file)).code, ErrorCode::kUndecodable);
  }
  EXPECT_THAT(testing::ErrorOf(OpenedAny("hello")).message, HasSubstr("test.pt"));
}

// Counts calls that depend on each other, and bytes.
struct Calls {
  explicit Calls(const std::string& file) {
    source = SourceOver(file);
    source.read_all = [this, read_at = source.read_at](std::span<const RangeRead> reads,
                                                       std::optional<Checksum>) -> Result<ReadSums> {
      ++count;
      for (const RangeRead& read : reads) {
        bytes += read.into.size();
        if (auto done = read_at(read.offset, read.into); !done.ok()) return done.error();
      }
      return ReadSums();
    };
    source.read_at = [all = source.read_all](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
      const RangeRead one{offset, into};
      if (auto read = all({&one, 1}, {}); !read.ok()) return read.error();
      return {};
    };
  }
  Calls(const Calls&) = delete;

  ByteSource source;
  int count = 0;
  std::uint64_t bytes = 0;
};

TEST(StoredCheckpoint, ReadsATensorOfALargeFileInTwoCalls) {
  std::vector<MadeTensor> tensors;
  tensors.reserve(40);
  for (int i = 0; i < 40; ++i) {
    tensors.push_back({"layer" + std::to_string(i), DType::kUint8, {1'000'000}, Varied(1'000'000, 1)});
  }
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    Calls calls(file);
    const auto checkpoint = StoredCheckpoint::Open(calls.source);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    EXPECT_EQ(calls.count, 1);
    const auto tensor = checkpoint->Find("layer17");
    ASSERT_TRUE(tensor.ok());
    EXPECT_TRUE(Elements(*checkpoint, *tensor) == tensors[17].bytes);
    EXPECT_EQ(calls.count, 2);
    EXPECT_LE(calls.bytes, 1'000'000U + (1 << 20));
  }
}

TEST(StoredCheckpoint, ReadsASmallFileOnce) {
  const std::vector<MadeTensor> tensors = SomeTensors();
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    Calls calls(file);
    const auto checkpoint = StoredCheckpoint::Open(calls.source);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    ExpectHolds(*checkpoint, tensors);
    EXPECT_EQ(calls.count, 1);
    EXPECT_EQ(calls.bytes, file.size());
  }
}

TEST(StoredCheckpoint, ReadsTheIndexOfManyTensorsInTwoMoreCalls) {
  std::vector<MadeTensor> tensors;
  tensors.reserve(8'000);
  for (int i = 0; i < 8'000; ++i) tensors.push_back({"layer" + std::to_string(i), DType::kUint8, {90}, Varied(90)});
  const std::string torch = TorchFileOf(tensors);
  Calls calls(torch);
  const auto checkpoint = StoredCheckpoint::Open(calls.source);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(calls.count, 3) << "both ends, the directory, the pickle";
  const std::string safetensors = SafetensorsOf(tensors);
  Calls header(safetensors);
  ASSERT_TRUE(StoredCheckpoint::Open(header.source).ok());
  EXPECT_EQ(header.count, 2) << "both ends, the header";
}

TEST(StoredCheckpoint, ReadsOnlyTheRequestedRows) {
  const MadeTensor tensor{"w", DType::kFloat32, {1'000, 250}, Varied(1'000'000)};
  for (const std::string& file : {TorchFileOf({tensor}), SafetensorsOf({tensor})}) {
    Calls calls(file);
    const auto checkpoint = StoredCheckpoint::Open(calls.source);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    calls.bytes = 0;
    const auto rows = RowsOf(checkpoint->tensors().front(), 400, 402);
    ASSERT_TRUE(rows.has_value());
    EXPECT_TRUE(Elements(*checkpoint, *rows) == tensor.bytes.substr(400'000, 2'000));
    EXPECT_LE(calls.bytes, 2'000U + 100) << "the rows, and a local header";
    EXPECT_EQ(Elements(*checkpoint, *RowsOf(checkpoint->tensors().front(), 1'000, 1'000)), "");
  }
  const StoredTensor any{.name = "w", .layout = {.shape = {3, 2}, .strides = {2, 1}}};
  EXPECT_FALSE(RowsOf(any, 0, 4).has_value());
  EXPECT_FALSE(RowsOf(any, 2, 1).has_value());
  EXPECT_FALSE(RowsOf(any, -1, 1).has_value());
  EXPECT_FALSE(RowsOf({.name = "scalar"}, 0, 0).has_value());
}

std::string Slice(const MadeTensor& tensor, const std::string& offsets, bool has_checksums = true) {
  return SafetensorsOf({tensor}, has_checksums,
                       {{"DCP_SHARDING_INFO", R"({"w": {"saved_offsets": [)" + offsets + "]}}"}});
}

// 4 x 6 elements of a byte, in slices of rows, and of rows and columns.
struct Sliced {
  Files by_rows = {};
  Files by_cells = {};
  std::string whole = {};
};

Sliced MakeSliced() {
  Sliced made{.whole = Varied(24)};
  const auto cut = [&](std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
    MadeTensor tensor{"w", DType::kUint8, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}};
    for (std::size_t i = row; i < row + rows; ++i) tensor.bytes += made.whole.substr(i * 6 + column, columns);
    return tensor;
  };
  made.by_rows = {{"0", Slice(cut(1, 3, 0, 6), "1, 0")}, {"1", Slice(cut(0, 1, 0, 6), "0, 0")}};
  made.by_cells = {{"0", Slice(cut(0, 2, 0, 4), "0, 0")},
                   {"1", Slice(cut(0, 2, 4, 2), "0, 4")},
                   {"2", Slice(cut(2, 2, 0, 4), "2, 0")},
                   {"3", Slice(cut(2, 2, 4, 2), "2, 4")}};
  return made;
}

Result<StoredCheckpoint> OpenSliced(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [name, file] : files) names.push_back(name);
  // An index names one file of a tensor; the others are there because of other tensors.
  const internal::OpenShards all = [&files, names](std::span<const std::string>, bool) {
    return ShardsIn(files)(names, true);
  };
  const std::string index = IndexOf({{"w", "0"}});
  return internal::OpenFileOrIndex(SourceOver(index), all);
}

TEST(StoredCheckpoint, JoinsSlices) {
  const Sliced made = MakeSliced();
  for (const Files& files : {made.by_rows, made.by_cells}) {
    const auto checkpoint = OpenSliced(files);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    ExpectHolds(*checkpoint, {{"w", DType::kUint8, {4, 6}, made.whole}});
    EXPECT_EQ(Elements(*checkpoint, *RowsOf(checkpoint->tensors().front(), 0, 3)), made.whole.substr(0, 18));
    std::string streamed;
    ASSERT_TRUE(checkpoint->reader().StreamStorage(0, SinkInto(streamed)).ok());
    EXPECT_EQ(streamed, made.whole);
    EXPECT_TRUE(checkpoint->reader().IsVerifiable(0));
  }
}

TEST(StoredCheckpoint, ReportsADamagedSliceAsCorrupted) {
  const Sliced made = MakeSliced();
  for (Files files : {made.by_rows, made.by_cells}) {
    files["1"].back() = static_cast<char>(files["1"].back() ^ 1);
    const auto checkpoint = OpenSliced(files);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    std::vector<std::byte> room(24);
    EXPECT_EQ(testing::ErrorOf(checkpoint->ReadTensor(checkpoint->tensors().front(), room)).code,
              ErrorCode::kCorrupted);
    std::string streamed;
    EXPECT_EQ(testing::ErrorOf(checkpoint->reader().StreamStorage(0, SinkInto(streamed))).code, ErrorCode::kCorrupted);
  }
}

TEST(StoredCheckpoint, VerifiesAStreamedStorage) {
  const std::vector<MadeTensor> tensors = {{"w", DType::kUint8, {1'000'000}, Varied(1'000'000)}};
  for (std::string file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    std::string streamed;
    ASSERT_TRUE(OpenedAny(file)->reader().StreamStorage(0, SinkInto(streamed)).ok());
    EXPECT_TRUE(streamed == tensors[0].bytes);
    file[500'000] = static_cast<char>(file[500'000] ^ 1);
    EXPECT_EQ(testing::ErrorOf(OpenedAny(file)->reader().StreamStorage(0, SinkInto(streamed))).code,
              ErrorCode::kCorrupted);
  }
}

// So many that several threads compare them.
TEST(StoredCheckpoint, FindsDamageInAnyOfManyLargeTensors) {
  std::vector<MadeTensor> tensors;
  tensors.reserve(5);
  for (int i = 0; i < 5; ++i) tensors.push_back({std::to_string(i), DType::kUint8, {16 << 20}, Varied(16 << 20)});
  for (const std::string& whole : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    const auto read_all = [](const std::string& file) {
      const auto checkpoint = OpenedAny(file);
      std::vector<std::string> rooms(5, std::string(16 << 20, '\0'));
      std::vector<TensorRead> reads;
      for (std::size_t i = 0; i < 5; ++i) {
        reads.push_back({&checkpoint->tensors()[i], std::as_writable_bytes(std::span(rooms[i]))});
      }
      return checkpoint->ReadTensors(reads);
    };
    EXPECT_TRUE(read_all(whole).ok());
    for (const std::size_t at : {whole.size() / 10, whole.size() / 2, whole.size() * 9 / 10}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      EXPECT_EQ(testing::ErrorOf(read_all(damaged)).code, ErrorCode::kCorrupted) << at;
    }
  }
}

TEST(StoredCheckpoint, GivesValuesAsJson) {
  using pickled::Value;
  const auto text = [](const char* of) { return Value{.any = std::string(of)}; };
  const std::string file = TorchFileOf(
      {{"w", DType::kUint8, {1}, "a"}},
      {{text("epoch"), {.any = std::int64_t{7}}},
       {text("betas"), {.any = pickled::Tuple{{{.any = 0.5}, {.any = true}}}}},
       {text("big"), {.any = pickled::LongInteger{.bytes = std::string("\1\0\0\0\0\0\0\0\2", 9)}}},
       {text("z"), {.any = std::complex<double>(1, -2)}},
       {text("kinds"),
        {.any = pickled::List{
             {{.any = DType::kFloat16}, {.any = pickled::Device{"cuda", 0}}, {.any = pickled::Size{{2, 3}}}}}}}});
  const auto checkpoint = OpenedAny(file);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  for (const auto& [name, want] : std::vector<std::pair<std::string, std::string>>{
           {"epoch", "7"},
           {"betas", R"({"$tuple":[0.5,true]})"},
           {"big", R"({"$int":"020000000000000001"})"},
           {"z", R"({"$complex":[1.0,-2.0]})"},
           {"kinds", R"([{"$dtype":"float16"},{"$device":"cuda:0"},{"$size":[2,3]}])"},
           {"w", R"({"$tensor":"w"})"}}) {
    EXPECT_EQ(testing::ValueOf(checkpoint->ReadValue(name)), want);
  }
  EXPECT_EQ(testing::ErrorOf(checkpoint->ReadValue("lost")).code, ErrorCode::kNotFound);
}

TEST(StoredCheckpoint, RefusesMemoryOfAnotherLength) {
  const std::string file = SafetensorsOf(SomeTensors());
  const auto checkpoint = OpenedAny(file);
  std::vector<std::byte> room(95);
  EXPECT_EQ(testing::ErrorOf(checkpoint->ReadTensor(*checkpoint->Find("net.weight"), room)).code,
            ErrorCode::kInvalidArgument);
  const StorageRead none{99, room};
  EXPECT_EQ(testing::ErrorOf(checkpoint->reader().ReadStorages({&none, 1})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::formats_tests
