#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "formats/convert_checkpoint.h"
#include "formats/distributed_folder.h"
#include "formats/local_file.h"
#include "formats/made_tensors.h"
#include "formats/tagged_json.h"
#include "support/result.h"

// Folders that PyTorch 2.15.0 saved: distributed/save_distributed.py made them.
namespace gcsflux::formats_tests {
namespace {

using internal::DistributedMetadata;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFixtures[] = {"plain-1", "dtensor-4", "fsdp1-2", "fsdp2-2"};

StoredCheckpoint OpenedOrDie(DistributedFolder& folder) {
  auto checkpoint = folder.Open();
  EXPECT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  return *std::move(checkpoint);
}

// PyTorch has the keys in another order, and the storages.
nlohmann::json WithoutOrder(nlohmann::json tagged) {
  if (!tagged.is_array()) return tagged;
  for (auto& item : tagged) item = WithoutOrder(std::move(item));
  if (!tagged.empty() && tagged[0] == "tensor") tagged[5] = 0;
  if (!tagged.empty() && tagged[0] == "dict") std::sort(tagged[1].begin(), tagged[1].end());
  return tagged;
}

bool HoldTheSame(const StoredCheckpoint& a, const StoredCheckpoint& b) {
  const auto first = a.reader().ReadValue();
  const auto second = b.reader().ReadValue();
  return first.ok() && second.ok() && WithoutOrder(TaggedJson(a, *first)) == WithoutOrder(TaggedJson(b, *second));
}

// The elements of the fixtures' tensors count from 0 on.
std::vector<float> CountedFrom(float first, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
  return values;
}

Result<std::vector<float>> Floats(const StoredCheckpoint& checkpoint, const StoredTensor& tensor) {
  std::vector<float> values(*ElementCount(tensor.layout.shape), -1);
  if (auto read = checkpoint.ReadTensor(tensor, std::as_writable_bytes(std::span(values))); !read) return read.error();
  return values;
}

TEST(DistributedFiles, HoldWhatPyTorchFindsInThem) {
  for (const std::string name : kFixtures) {
    DistributedFolder folder = DistributedFolder::Fixture(name);
    const StoredCheckpoint checkpoint = OpenedOrDie(folder);
    EXPECT_EQ(checkpoint.format(), CheckpointFormat::kDistributed);
    const std::string file = FileText(std::string(GCSFLUX_FORMAT_FIXTURES) + "/distributed/" + name + ".pt");
    const StoredCheckpoint wanted = *OpenedAny(file);
    const auto differences = CompareCheckpoints(checkpoint, wanted);
    ASSERT_TRUE(differences.ok()) << name << ": " << differences.error().message;
    EXPECT_TRUE(differences->empty()) << name << ": " << differences->front().name;
    EXPECT_GT(checkpoint.tensors().size(), 5U) << name;
    EXPECT_TRUE(HoldTheSame(checkpoint, wanted)) << name;
  }
}

TEST(DistributedFiles, BecomeTheSameFileOfTorchSave) {
  for (const std::string name : kFixtures) {
    DistributedFolder folder = DistributedFolder::Fixture(name);
    const StoredCheckpoint checkpoint = OpenedOrDie(folder);
    std::string file;
    const auto written = internal::WriteConverted(checkpoint, CheckpointFormat::kTorchFile, SinkInto(file));
    ASSERT_TRUE(written.ok()) << written.error().message;
    const StoredCheckpoint converted = *OpenedAny(file);
    EXPECT_TRUE(HoldTheSame(converted, checkpoint)) << name;
  }
}

TEST(DistributedFiles, ReadAnyRowsOfAnySlices) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  const StoredCheckpoint checkpoint = OpenedOrDie(folder);
  for (const char* name : {"rows", "uneven", "few", "columns", "tiles", "nested", "copies", "half_copies"}) {
    const StoredTensor tensor = testing::ValueOf(checkpoint.Find(name));
    const std::int64_t rows = tensor.layout.shape.front();
    const auto width = static_cast<std::size_t>(tensor.layout.shape.back());
    for (std::int64_t begin = 0; begin < rows; ++begin) {
      for (std::int64_t end = begin + 1; end <= rows; ++end) {
        const auto values = Floats(checkpoint, *RowsOf(tensor, begin, end));
        ASSERT_TRUE(values.ok()) << values.error().message;
        EXPECT_EQ(*values, CountedFrom(static_cast<float>(begin) * static_cast<float>(width),
                                       static_cast<std::size_t>(end - begin) * width))
            << name << " " << begin << " " << end;
      }
    }
  }
}

// Both ends of each slice, then the elements, for all tensors at once.
TEST(DistributedFiles, ReadAllTensorsInTwoRoundsForEachFile) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  const StoredCheckpoint checkpoint = OpenedOrDie(folder);
  EXPECT_EQ(folder.rounds, 0U);
  std::vector<std::string> elements;
  std::vector<TensorRead> reads;
  for (const StoredTensor& tensor : checkpoint.tensors()) elements.emplace_back(TensorBytes(tensor.layout), '\0');
  for (std::size_t i = 0; i < elements.size(); ++i) {
    reads.push_back({&checkpoint.tensors()[i], std::as_writable_bytes(std::span(elements[i]))});
  }
  ASSERT_TRUE(checkpoint.ReadTensors(reads).ok());
  EXPECT_EQ(folder.rounds, 2U * 4U);
}

TEST(DistributedFiles, ReadOneValueByItsName) {
  DistributedFolder folder = DistributedFolder::Fixture("plain-1");
  const StoredCheckpoint checkpoint = OpenedOrDie(folder);
  EXPECT_EQ(testing::ValueOf(checkpoint.ReadValue("epoch")), "3");
  EXPECT_EQ(folder.rounds, 1U);
  EXPECT_EQ(testing::ValueOf(checkpoint.ReadValue("schedule")), R"({"steps":[1,2,3],"rate":0.5,"last":null})");
  EXPECT_EQ(testing::ValueOf(checkpoint.ReadValue("schedule.steps.1")), "2");
  EXPECT_EQ(testing::ValueOf(checkpoint.ReadValue("blocks.1")), R"({"bias":{"$tensor":"blocks.1.bias"}})");
  EXPECT_EQ(testing::ErrorOf(checkpoint.ReadValue("schedule.steps.7")).code, ErrorCode::kNotFound);
  EXPECT_EQ(testing::ErrorOf(checkpoint.ReadValue("schedule.other")).code, ErrorCode::kNotFound);
}

// The elements of 'columns', in the file of rank 1.
std::size_t PlaceOfElement(const std::string& file, float value) {
  std::string bytes(sizeof(float), '\0');
  std::memcpy(bytes.data(), &value, sizeof(float));
  const std::size_t place = file.find(bytes);
  EXPECT_NE(place, file.npos);
  return place;
}

TEST(DistributedFiles, NameATensorWhoseBytesAreDamaged) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  std::string& file = folder.files.at("__3_0.distcp");
  file[PlaceOfElement(file, 31)] ^= 1;  // The last element of 'rows'.
  const StoredCheckpoint checkpoint = OpenedOrDie(folder);
  const Error error = testing::ErrorOf(Floats(checkpoint, testing::ValueOf(checkpoint.Find("rows"))));
  EXPECT_EQ(error.code, ErrorCode::kCorrupted);
  EXPECT_THAT(error.message, AllOf(HasSubstr("test.pt/__3_0.distcp"), HasSubstr("'rows'"), HasSubstr("CRC-32")));
  const auto verified = VerifyCheckpoint(checkpoint);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  for (const VerifiedStorage& one : *verified) EXPECT_EQ(one.damage.has_value(), one.tensor == "rows") << one.tensor;
}

// ------------------------------------------------------------------------------------ metadata that the files deny

struct Lie {
  const char* name;
  void (*tell)(DistributedMetadata& metadata);
  const char* why;
};

const Lie kLiesAboutSlices[] = {
    {"another type of the same width", [](DistributedMetadata& m) { TensorNamed(m, "rows").dtype = DType::kInt32; },
     "is float32 [2, 4], and .metadata says int32 [2, 4]"},
    {"another shape of as many elements",
     [](DistributedMetadata& m) {
       internal::DistributedTensor& rows = TensorNamed(m, "rows");
       rows.shape = {16, 2};
       for (auto& chunk : rows.chunks) chunk = {{2 * chunk.offsets[0], 0}, {4, 2}, chunk.item};
     },
     "is float32 [2, 4], and .metadata says float32 [4, 2]"},
    {"the places of two slices, exchanged",
     [](DistributedMetadata& m) {
       std::swap(TensorNamed(m, "rows").chunks[0].item, TensorNamed(m, "columns").chunks[0].item);
     },
     "is float32 [4, 2], and .metadata says float32 [2, 4]"},
    {"a place within an item", [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks[1].item.range.begin += 64; },
     "damaged"},
    {"a shorter place", [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks[1].item.range.end -= 1; },
     "damaged"},
};

// Not even the other slices of the tensor are read into the memory.
TEST(DistributedFiles, LoadNothingOfATensorThatIsNotWhatTheMetadataSays) {
  for (const Lie& lie : kLiesAboutSlices) {
    DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
    DistributedMetadata metadata = folder.Metadata();
    lie.tell(metadata);
    folder.SetMetadata(metadata);
    const StoredCheckpoint checkpoint = OpenedOrDie(folder);
    const StoredTensor rows = testing::ValueOf(checkpoint.Find("rows"));
    std::string memory(TensorBytes(rows.layout), '\7');
    const Error error = testing::ErrorOf(checkpoint.ReadTensor(rows, std::as_writable_bytes(std::span(memory))));
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << lie.name;
    EXPECT_THAT(error.message, HasSubstr(lie.why)) << lie.name;
    EXPECT_EQ(memory, std::string(memory.size(), '\7')) << lie.name;
    EXPECT_TRUE(Floats(checkpoint, testing::ValueOf(checkpoint.Find("copies"))).ok()) << lie.name;
  }
}

TEST(DistributedFiles, AreRefusedIfAFileIsMissing) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  folder.files.erase("__2_0.distcp");
  const Error error = testing::ErrorOf(folder.Open());
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, AllOf(HasSubstr("names a file"), HasSubstr("__2_0.distcp")));
}

TEST(DistributedFiles, AreRefusedIfAFileIsCut) {
  DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  folder.files.at("__2_0.distcp").pop_back();
  const Error error = testing::ErrorOf(folder.Open());
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, AllOf(HasSubstr("__2_0.distcp"), HasSubstr("the file is cut")));
}

TEST(DistributedFiles, SayThatAFileOfSlicesIsAPartOfAFolder) {
  const DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  ByteSource part = SourceOf("bkt/__0_0.distcp", BytesOf(folder.files.at("__0_0.distcp")));
  EXPECT_THAT(testing::ErrorOf(StoredCheckpoint::Open(std::move(part))).message, HasSubstr("open its folder"));
}

TEST(DistributedFiles, SayThatTheMetadataIsOpenedWithItsFolder) {
  const DistributedFolder folder = DistributedFolder::Fixture("dtensor-4");
  const Error error = testing::ErrorOf(OpenedAny(folder.files.at(".metadata")));
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, HasSubstr("OpenCheckpoint()"));
}

// Flips each byte of a file of slices. What is read is then right, or refused.
TEST(DistributedFiles, NeverReadOtherElementsAfterAFlippedByte) {
  const DistributedFolder whole = DistributedFolder::Fixture("dtensor-4");
  const std::size_t size = whole.files.at("__1_0.distcp").size();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < size; at += 7) {
    DistributedFolder folder = whole;
    folder.files.at("__1_0.distcp")[at] ^= 0x20;
    const StoredCheckpoint checkpoint = OpenedOrDie(folder);
    for (const char* name : {"rows", "uneven", "columns", "copies", "tiles", "nested"}) {
      const StoredTensor tensor = testing::ValueOf(checkpoint.Find(name));
      const auto values = Floats(checkpoint, tensor);
      if (values.ok()) {
        EXPECT_EQ(*values, CountedFrom(0, *ElementCount(tensor.layout.shape))) << name << " " << at;
      } else {
        ++refused;
        ExpectRefused(values.error(), name);
      }
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace gcsflux::formats_tests
