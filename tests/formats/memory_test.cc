#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "formats/checkpoint_reader.h"
#include "formats/convert_checkpoint.h"
#include "formats/distributed/distributed_metadata.h"
#include "formats/heap_peak.h"
#include "formats/pickles.h"
#include "formats/safetensors/safetensors.h"
#include "support/repeated.h"

// The memory to open a file: at most 16 n + 16 MiB for n bytes of any content.
namespace gcsflux::formats_tests {
namespace {

using namespace std::literals;
using testing::Repeated;

struct Case {
  std::string name;
  std::string pickle;
};

std::vector<Case> Pickles() {
  const std::size_t n = 8'000'000;
  const std::string tensor = Global("torch._utils", "_rebuild_tensor_v2") + "(" + StorageOf("FloatStorage", "0", 12) +
                             "K\0K\0\x85K\1\x85\x89"s + Global("collections", "OrderedDict") + ")RtRq\1";
  std::string storages;
  for (int i = 0; i < 200'000; ++i) storages += StorageOf("FloatStorage", std::to_string(i), 1) + "0";
  return {
      {"nested lists", Repeated("]", n)},
      {"nested tuples", Repeated("\x85", 10)},
      {"marks", Repeated("(", n)},
      {"empty lists", Repeated("]", n / 2) + "0"},
      {"small numbers", "](" + Repeated("K\1", n / 2) + "e"},
      {"nested calls", "N" + Repeated("NR", n / 2)},
      {"names", "](" + Repeated("ca\nb\n", n / 5) + "e"},
      {"refused calls", "](" + Repeated("ca\nb\n)R", n / 7) + "e"},
      {"refused, shared", "](ca\nb\n)Rq\1" + Repeated("h\1", n / 2) + "e"},
      {"one tensor, shared", "](" + tensor + Repeated("h\1", n / 2) + "e"},
      {"memo numbers", "N" + Repeated("r\xFF\xFF\0\0"sv, n / 5)},
      {"remembered numbers", "](" + Repeated("K\1\x94", n / 3) + "e"},
      {"states", Repeated("NNR}b0", n / 6) + "N"},
      {"sets", "](" + Repeated("\x8F(K\1\x90", n / 5) + "e"},
      {"storages", storages + "N"},
      {"a long text", "X" + Number(n, 4) + std::string(n, 'x')},
      {"text that lies", "X" + Number(0xFFFFFFFF, 4)},
      {"bytes that lie", "\x8E" + Number(1ULL << 63, 8)},
  };
}

void ExpectWithin(std::uint64_t file_bytes, const std::string& name) {
  EXPECT_LE(TakeHeapPeak(), 16 * file_bytes + (16 << 20)) << name << " of " << file_bytes << " bytes";
}

TEST(FormatsMemory, IsCounted) {
  TakeHeapPeak();
  { const std::vector<char> taken(50'000'000); }
  EXPECT_GE(TakeHeapPeak(), 50'000'000U);
  EXPECT_LT(TakeHeapPeak(), 1'000'000U);
}

TEST(FormatsMemory, PicklesNeedAtMost16TimesTheirLength) {
  for (const Case& one : Pickles()) {
    const std::string file = FileWith(Pickle(one.pickle));
    TakeHeapPeak();
    const auto opened = StoredCheckpoint::Open(SourceOver(file));
    ExpectWithin(file.size(), one.name);
  }
}

TEST(FormatsMemory, DirectoriesNeedAtMost16TimesTheirLength) {
  Records records = {{"x/data.pkl", Pickle("N")}};
  for (int i = 0; i < 300'000; ++i) records.emplace_back(std::to_string(i), "");
  const std::string file = ZipOf(records);
  records.clear();
  TakeHeapPeak();
  EXPECT_TRUE(StoredCheckpoint::Open(SourceOver(file)).ok());
  ExpectWithin(file.size(), "an archive of 300,000 records");
}

TEST(FormatsMemory, HeadersNeedAtMost16TimesTheirLength) {
  std::string tensors;
  for (int i = 0; i < 500'000; ++i) {
    tensors += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[],"data_offsets":[0,0]},)";
  }
  tensors.back() = '}';
  std::string metadata;
  for (int i = 0; i < 1'000'000; ++i) metadata += "\"" + std::to_string(i) + R"(":"",)";
  metadata.back() = '}';
  for (const std::string& json : {"{" + tensors, "{\"__metadata__\":{" + metadata + "}", std::string(20'000'000, '['),
                                  "{\"a\":{\"shape\":[" + Repeated("1,", 10'000'000)}) {
    const std::string file = Number(json.size(), 8) + json;
    TakeHeapPeak();
    const auto header = ReadSafetensorsHeader(SourceOver(file));
    ExpectWithin(file.size(), json.substr(0, 60));
  }
}

TEST(FormatsMemory, OpenedCheckpointsNeedAtMost16TimesTheirLength) {
  std::string tensors;
  std::string slices;
  for (int i = 0; i < 300'000; ++i) {
    const std::string name = "\"" + std::to_string(i) + "\":";
    tensors += name + R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
    slices += name + R"({"saved_offsets":[0]},)";
  }
  tensors.back() = '}';
  slices.back() = '}';
  std::string quoted;
  for (const char byte : "{" + slices) quoted += byte == '"' ? "\\\"" : std::string(1, byte);
  const std::string plain = "{" + tensors;
  const std::string sliced = R"({"__metadata__":{"DCP_SHARDING_INFO":")" + quoted + "\"}," + tensors;
  for (const std::string& json : {plain, sliced}) {
    const std::string file = Number(json.size(), 8) + json;
    TakeHeapPeak();
    const auto checkpoint = StoredCheckpoint::Open(SourceOver(file));
    EXPECT_TRUE(checkpoint.ok());
    ExpectWithin(file.size(), json.substr(0, 60));
  }
}

// Three tensors of 200 MB, whose bytes are zeros and nowhere stored.
ByteSource LargeSafetensors(const std::string& header) {
  const auto read_at = [header](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
    std::fill(into.begin(), into.end(), std::byte{});
    if (offset < header.size()) {
      const std::size_t count = std::min(into.size(), header.size() - static_cast<std::size_t>(offset));
      std::memcpy(into.data(), header.data() + offset, count);
    }
    return {};
  };
  return {.name = "large", .size = header.size() + 600'000'000, .read_at = read_at};
}

TEST(FormatsMemory, LargeTensorsAreNeverBufferedWhole) {
  std::string json = "{";
  for (int i = 0; i < 3; ++i) {
    json += "\"" + std::to_string(i) + R"(":{"dtype":"F32","shape":[50000,1000],"data_offsets":[)" +
            std::to_string(i * 200'000'000) + "," + std::to_string((i + 1) * 200'000'000) + "]},";
  }
  json.back() = '}';
  const auto checkpoint = StoredCheckpoint::Open(LargeSafetensors(Number(json.size(), 8) + json));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  constexpr std::uint64_t kMost = 64 << 20;
  for (const CheckpointFormat format : {CheckpointFormat::kTorchFile, CheckpointFormat::kSafetensors}) {
    std::uint64_t written = 0;
    const ByteSink count = [&](std::span<const std::byte> bytes) -> Result<void> {
      written += bytes.size();
      return {};
    };
    TakeHeapPeak();
    const auto converted = internal::WriteConverted(*checkpoint, format, count);
    EXPECT_LE(TakeHeapPeak(), kMost) << FormatName(format);
    EXPECT_TRUE(converted.ok()) << converted.error().message;
    EXPECT_GT(written, 600'000'000U);
  }
  EXPECT_TRUE(VerifyCheckpoint(*checkpoint).ok());
  EXPECT_LE(TakeHeapPeak(), kMost) << "verifying";
  EXPECT_TRUE(CompareCheckpoints(*checkpoint, *checkpoint)->empty());
  EXPECT_LE(TakeHeapPeak(), kMost) << "comparing";
}

TEST(FormatsMemory, IndexesNeedAtMost16TimesTheirLength) {
  std::string map;
  for (int i = 0; i < 1'000'000; ++i) map += "\"" + std::to_string(i) + R"(":"f",)";
  map.back() = '}';
  const std::string json = "{\"weight_map\":{" + map + "}";
  TakeHeapPeak();
  EXPECT_TRUE(ReadSafetensorsIndex(SourceOver(json)).ok());
  ExpectWithin(json.size(), "an index");
}

// The slices of 8 ranks, and an entry for each of many values.
std::string DistributedMetadataOf(std::size_t tensors) {
  internal::DistributedMetadata metadata{.files = {"a"}};
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < tensors; ++i) {
    internal::DistributedTensor tensor{.name = "w" + std::to_string(i), .shape = {8, 4}};
    for (std::int64_t rank = 0; rank < 8; ++rank) {
      tensor.chunks.push_back({{rank, 0}, {1, 4}, {0, {end, end + 16}}});
      end += 16;
    }
    metadata.paths.push_back({tensor.name, {tensor.name}});
    metadata.tensors.push_back(std::move(tensor));
    const std::string value = "v" + std::to_string(i);
    metadata.values.push_back({value, {0, {end, end + 16}}});
    metadata.paths.push_back({value, {value}});
    end += 16;
  }
  return *internal::FormatDistributedMetadata(metadata);
}

TEST(FormatsMemory, OfDistributedMetadataIsLimited) {
  const std::string pickle = DistributedMetadataOf(10'000);
  const std::string empty = Pickle(Global("torch.distributed.checkpoint.metadata", "Metadata") + ")\x81}(" +
                                   Text("storage_data") + "}" + Text("state_dict_metadata") + "}ub");
  std::string shared = empty;
  shared.insert(shared.size() - 3, Text("planner_data") + "}(" + Text("p") + "(" + Repeated("K\1", 100'000) + "tq\1" +
                                       Repeated(Text("p") + "h\1", 100'000) + "u");
  for (const std::string& metadata : {pickle, empty, shared}) {
    const internal::OpenShards one = [](std::span<const std::string> files, bool) -> Result<std::vector<ByteSource>> {
      const ByteSource file{.name = "a", .size = std::uint64_t{1} << 40, .read_at = {}};
      return std::vector<ByteSource>(files.size(), file);
    };
    TakeHeapPeak();
    const bool is_opened = internal::OpenFileOrIndex(SourceOver(metadata), one).ok();
    EXPECT_LE(TakeHeapPeak(), 24 * metadata.size() + (16 << 20)) << metadata.size();
    EXPECT_EQ(is_opened, metadata != shared);
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
