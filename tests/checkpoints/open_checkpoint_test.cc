// Checkpoints by their URI, against the emulator and on disk.
#include <gmock/gmock.h>

#include <fstream>

#include "checkpoints/byte_sources.h"
#include "checkpoints/write_checkpoint.h"
#include "formats/convert_checkpoint.h"
#include "formats/made_tensors.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/result.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using namespace formats_tests;  // NOLINT(google-build-using-namespace): what makes the files.
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class OpenCheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt").ok()); }

  void Put(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(client_.InsertObject({"bkt", name}, AsBytes(bytes)).ok());
  }
  [[nodiscard]] std::string PathOf(const std::string& name) const { return directory_.path() / name; }
  void PutFile(const std::string& name, const std::string& bytes) const {
    std::ofstream(PathOf(name), std::ios::binary) << bytes;
  }
  [[nodiscard]] std::uint64_t Requests() const {
    std::uint64_t requests = 0;
    for (const auto& count : emulator_.counters().operations) requests += count.requests;
    return requests;
  }

  emulator::Emulator emulator_{{.journal_size = 10'000}};
  Client client_ = *Client::Create(
      {.endpoint = emulator_.endpoint(), .project = "p", .retry = RetryPolicies::All({.max_attempts = 1})});
  testing::TestDirectory directory_;
};

TEST_F(OpenCheckpointTest, ReadsObjectsAndFilesOfEachFormat) {
  const std::vector<MadeTensor> tensors = SomeTensors();
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    Put("runs/7/checkpoint.bin", file);
    PutFile("checkpoint.bin", file);
    for (const std::string& uri : {std::string("gs://bkt/runs/7/checkpoint.bin"), PathOf("checkpoint.bin")}) {
      const auto checkpoint = OpenCheckpoint(client_, uri);
      ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
      EXPECT_EQ(checkpoint->name(), uri);
      ExpectHolds(*checkpoint, tensors);
      EXPECT_EQ(testing::ValueOf(checkpoint->VerifyWhole()), uri.starts_with("gs://"));
    }
  }
}

TEST_F(OpenCheckpointTest, ReadsTheFilesOfAnIndexInItsFolder) {
  const std::vector<MadeTensor> tensors = SomeTensors();
  const std::string index = formats_tests::IndexOf(
      {{"net.weight", "a.safetensors"}, {"net.bias", "b.safetensors"}, {"steps", "b.safetensors"}});
  const std::string first = SafetensorsOf({tensors[0]});
  const std::string second = SafetensorsOf({tensors[1], tensors[2]});
  for (const auto& [name, bytes] :
       {std::pair{"model.safetensors.index.json", index}, {"a.safetensors", first}, {"b.safetensors", second}}) {
    Put("model/" + std::string(name), bytes);
    PutFile(name, bytes);
  }
  for (const std::string& uri :
       {std::string("gs://bkt/model/model.safetensors.index.json"), PathOf("model.safetensors.index.json")}) {
    const auto checkpoint = OpenCheckpoint(client_, uri);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    ExpectHolds(*checkpoint, {tensors[0], tensors[1], tensors[2]});
    EXPECT_EQ(checkpoint->size(), first.size() + second.size());
  }
}

// The form of PyTorch DCP without consolidation.
TEST_F(OpenCheckpointTest, ReadsTheSafetensorsFilesOfAFolder) {
  const std::string bytes = Varied(24);
  const auto slice = [&](const std::string& rows, const std::string& offset) {
    return SafetensorsOf({{"w", DType::kUint8, {static_cast<std::int64_t>(rows.size() / 6), 6}, rows}}, false,
                         {{"DCP_SHARDING_INFO", R"({"w": {"saved_offsets": [)" + offset + ", 0]}}"}});
  };
  fs::create_directory(PathOf("folder"));
  for (const auto& [name, file] : {std::pair{"shard-00001-model.safetensors", slice(bytes.substr(0, 12), "0")},
                                   {"shard-00002-model.safetensors", slice(bytes.substr(12), "2")},
                                   {"config.json", std::string("{}")}}) {
    Put("folder/" + std::string(name), file);
    PutFile("folder/" + std::string(name), file);
  }
  Put("folder/deeper/x.safetensors", "no checkpoint");
  for (const std::string& uri : {std::string("gs://bkt/folder/"), PathOf("folder"), PathOf("folder/")}) {
    const auto checkpoint = OpenCheckpoint(client_, uri);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    ExpectHolds(*checkpoint, {{"w", DType::kUint8, {4, 6}, bytes}});
  }
  EXPECT_EQ(testing::ErrorOf(OpenCheckpoint(client_, "gs://bkt/empty/")).code, ErrorCode::kNotFound);
}

TEST_F(OpenCheckpointTest, NamesTheMissingPart) {
  Put("index.json", formats_tests::IndexOf({{"w", "lost.safetensors"}}));
  Put("text", "hello");
  struct Case {
    std::string uri;
    ErrorCode code;
    std::string words;
  };
  for (const Case& one :
       {Case{"gs://bkt/none", ErrorCode::kNotFound, "gs://bkt/none"},
        Case{"gs://bkt/index.json", ErrorCode::kNotFound, "gs://bkt/lost.safetensors"},
        Case{"gs://bkt/text", ErrorCode::kUndecodable, "gs://bkt/text"},
        Case{"gs://", ErrorCode::kInvalidArgument, "bucket name"}, Case{PathOf("none"), ErrorCode::kLocalIo, "none"},
        Case{directory_.path(), ErrorCode::kNotFound, "no file of safetensors"},
        Case{PathOf("none/"), ErrorCode::kLocalIo, "none"}}) {
    EXPECT_TRUE(testing::FailsWith(OpenCheckpoint(client_, one.uri), one.code, HasSubstr(one.words)));
  }
}

// 40 MB of tensors: the metadata, both ends in parallel, then the tensor.
TEST_F(OpenCheckpointTest, ReadsOneTensorOfALargeObjectInFourRequests) {
  std::vector<MadeTensor> tensors;
  tensors.reserve(40);
  for (int i = 0; i < 40; ++i) {
    tensors.push_back({"layer" + std::to_string(i), DType::kUint8, {1'000'000}, Varied(1'000'000, 1)});
  }
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    Put("large", file);
    const std::uint64_t before = Requests();
    auto reader = ObjectReader::Open(client_, ObjectName{"bkt", "large"});
    ASSERT_TRUE(reader.ok());
    const auto shared = std::make_shared<const ObjectReader>(*std::move(reader));
    int round_trips = 1;
    ByteSource source = SourceOf(shared);
    source.read_all = [&round_trips, read_all = source.read_all](std::span<const RangeRead> reads,
                                                                 std::optional<Checksum> sum) {
      ++round_trips;
      return read_all(reads, sum);
    };
    source.read_at = [read_all = source.read_all](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
      const RangeRead one{offset, into};
      if (auto read = read_all({&one, 1}, {}); !read.ok()) return read.error();
      return {};
    };
    const auto checkpoint = StoredCheckpoint::Open(source);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    EXPECT_TRUE(Elements(*checkpoint, *checkpoint->Find("layer17")) == tensors[17].bytes);
    EXPECT_EQ(round_trips, 3);
    EXPECT_EQ(Requests() - before, 4U);
    EXPECT_LE(shared->fetched_bytes(), 1'000'000U + (1 << 20));
  }
}

TEST_F(OpenCheckpointTest, DoesNotMixGenerationsOfAnObject) {
  const std::vector<MadeTensor> tensors = {{"w", DType::kUint8, {2'000'000}, Varied(2'000'000)}};
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    Put("o", file);
    const auto checkpoint = OpenCheckpoint(client_, "gs://bkt/o");
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    Put("o", file);
    std::vector<std::byte> room(2'000'000);
    const Error error = testing::ErrorOf(checkpoint->ReadTensor(checkpoint->tensors().front(), room));
    EXPECT_EQ(error.code, ErrorCode::kAborted) << error.message;
  }
}

TEST_F(OpenCheckpointTest, WritesObjectsAndFilesAllOrNothing) {
  const std::string file = TorchFileOf(SomeTensors());
  const auto checkpoint = StoredCheckpoint::Open(SourceOver(file));
  const CheckpointWriter convert = [&](const ByteSink& sink) {
    return internal::WriteConverted(*checkpoint, CheckpointFormat::kSafetensors, sink);
  };
  const CheckpointWriter fail = [&](const ByteSink& sink) -> Result<void> {
    if (auto put = sink(AsBytes("half")); !put.ok()) return put;
    return Error{ErrorCode::kCorrupted, "no more"};
  };
  const CheckpointWriter fail_hard = [&](const ByteSink& sink) -> Result<void> {
    if (auto put = sink(AsBytes("half")); !put.ok()) return put;
    throw std::runtime_error("no more");
  };
  for (const std::string& uri : {std::string("gs://bkt/new"), PathOf("new")}) {
    EXPECT_EQ(testing::ErrorOf(WriteCheckpoint(client_, uri, fail)).code, ErrorCode::kCorrupted);
    EXPECT_EQ(testing::ErrorOf(WriteCheckpoint(client_, uri, fail_hard)).code, ErrorCode::kLocalIo);
    EXPECT_FALSE(OpenCheckpoint(client_, uri).ok());
    const auto written = WriteCheckpoint(client_, uri, convert, {.mode = WriteMode::kCreate});
    ASSERT_TRUE(written.ok()) << written.error().message;
    const auto opened = OpenCheckpoint(client_, uri);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    ExpectHolds(*opened, SomeTensors());
    EXPECT_EQ(written->size, opened->size());
    EXPECT_FALSE(WriteCheckpoint(client_, uri, convert, {.mode = WriteMode::kCreate}).ok());
    EXPECT_EQ(testing::ErrorOf(WriteCheckpoint(client_, uri, fail)).code, ErrorCode::kCorrupted);
    EXPECT_TRUE(OpenCheckpoint(client_, uri).ok()) << "it stays as it was";
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(directory_.path())) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"new"});
  EXPECT_EQ(
      testing::ErrorOf(WriteCheckpoint(client_, PathOf("new"), convert, {.mode = WriteMode::kReplace, .generation = 1}))
          .code,
      ErrorCode::kInvalidArgument);
}

TEST_F(OpenCheckpointTest, FailsIfAFileBecomesShorter) {
  PutFile("w", SafetensorsOf({{"w", DType::kUint8, {2'000'000}, Varied(2'000'000)}}));
  const auto checkpoint = OpenCheckpoint(client_, PathOf("w"));
  fs::resize_file(PathOf("w"), 1'000'000);
  std::vector<std::byte> room(2'000'000);
  EXPECT_EQ(testing::ErrorOf(checkpoint->ReadTensor(checkpoint->tensors().front(), room)).code, ErrorCode::kAborted);
}

}  // namespace
}  // namespace gcsflux
