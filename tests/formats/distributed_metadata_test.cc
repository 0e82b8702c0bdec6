#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "formats/distributed_folder.h"
#include "formats/pickles.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using internal::DistributedMetadata;
using internal::ParseDistributedMetadata;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kModule = "torch.distributed.checkpoint.metadata";

std::string PickleOf(const DistributedMetadata& metadata) {
  return testing::ValueOf(internal::FormatDistributedMetadata(metadata));
}

Error ErrorOfPickle(const std::string& pickle) { return testing::ErrorOf(ParseDistributedMetadata(pickle, "test.pt")); }

TEST(DistributedMetadata, IsTheSameAfterItIsWrittenAndReadAgain) {
  for (const char* name : {"plain-1", "dtensor-4", "fsdp1-2", "fsdp2-2"}) {
    const DistributedMetadata metadata = DistributedFolder::Fixture(name).Metadata();
    const auto again = ParseDistributedMetadata(PickleOf(metadata), "test.pt");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(PickleOf(*again), PickleOf(metadata)) << name;
    EXPECT_EQ(again->files, metadata.files) << name;
    EXPECT_EQ(again->paths.size(), metadata.tensors.size() + metadata.values.size()) << name;
  }
}

TEST(DistributedMetadata, IsRecognisedByItsFirstBytes) {
  const std::string pickle = DistributedFolder::Fixture("plain-1").files.at(".metadata");
  for (const std::string& text : {pickle, PickleOf(DistributedFolder::Fixture("plain-1").Metadata())}) {
    EXPECT_EQ(internal::DetectFormat(BytesOf(text).first(64)), CheckpointFormat::kDistributed);
  }
  EXPECT_EQ(internal::DetectFormat(BytesOf("torch.distributed.checkpoint.metadata")), CheckpointFormat::kUnknown);
}

struct Contradiction {
  const char* name;
  void (*make)(DistributedMetadata& metadata);
  const char* why;
};

const Contradiction kContradictions[] = {
    {"a slice is missing", [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks.pop_back(); },
     "'rows': its slices do not make a whole of [8, 4]"},
    {"a tensor has no slice", [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks.clear(); },
     "do not make a whole"},
    {"slices overlap",
     [](DistributedMetadata& m) {
       TensorNamed(m, "rows").chunks[1].offsets = {1, 0};
     },
     "or they overlap"},
    {"slices begin at one place",
     [](DistributedMetadata& m) {
       TensorNamed(m, "rows").chunks[1].offsets = {0, 0};
     },
     "has two places in the files"},
    {"a slice leaves the tensor",
     [](DistributedMetadata& m) {
       TensorNamed(m, "rows").chunks[3].offsets = {7, 0};
     },
     "do not make a whole"},
    {"a slice is longer than its place",
     [](DistributedMetadata& m) {
       TensorNamed(m, "rows").shape = {8, 4000};
       for (auto& chunk : TensorNamed(m, "rows").chunks) chunk.sizes[1] = 4000;
     },
     "its slice of the sizes [2, 4000] should be in 1577 bytes of the file '__0_0.distcp'"},
    {"a slice has more elements than 64 bits count",
     [](DistributedMetadata& m) {
       auto& copies = TensorNamed(m, "copies");
       copies.shape = copies.chunks[0].sizes = {1LL << 40, 1LL << 40};
     },
     "should be in 1577 bytes"},
    {"a slice has other dimensions",
     [](DistributedMetadata& m) {
       TensorNamed(m, "copies").chunks[0].offsets = {0, 0, 0};
     },
     "do not make a whole"},
    {"two slices share bytes", [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks[0].item.range.end += 1; },
     "'rows' and 'uneven' share bytes of the file '__0_0.distcp'"},
    {"one place for two tensors",
     [](DistributedMetadata& m) { TensorNamed(m, "rows").chunks[0].item = TensorNamed(m, "nested").chunks[0].item; },
     "share bytes of the file"},
    {"a file above the folder", [](DistributedMetadata& m) { m.files[0] = "../__0_0.distcp"; },
     "the file '../__0_0.distcp' lies outside of the checkpoint's folder"},
    {"a file of the machine", [](DistributedMetadata& m) { m.files[0] = "/etc/passwd"; }, "lies outside"},
    {"a file without a name", [](DistributedMetadata& m) { m.files[0] = ""; }, "lies outside"},
    {"a name twice", [](DistributedMetadata& m) { m.tensors.push_back({.name = "rows", .shape = {0}}); },
     "the name 'rows' is there twice"},
};

TEST(DistributedMetadata, IsRefusedIfItContradictsItself) {
  const DistributedMetadata metadata = DistributedFolder::Fixture("dtensor-4").Metadata();
  for (const Contradiction& one : kContradictions) {
    DistributedMetadata other = metadata;
    one.make(other);
    const Error error = ErrorOfPickle(PickleOf(other));
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << one.name;
    EXPECT_THAT(error.message, AllOf(HasSubstr("test.pt"), HasSubstr(one.why))) << one.name;
  }
}

TEST(DistributedMetadata, IsRefusedIfItIsCut) {
  const std::string pickle = DistributedFolder::Fixture("fsdp2-2").files.at(".metadata");
  for (std::size_t length = 0; length < pickle.size(); ++length) {
    ExpectRefused(ErrorOfPickle(pickle.substr(0, length)), std::to_string(length));
  }
}

// Each change of a few bytes is refused, or gives metadata that agree with themselves.
TEST(DistributedMetadata, IsReadOrRefusedAfterAnyChange) {
  std::mt19937 random(7);
  int refused = 0;
  for (const char* name : {"plain-1", "dtensor-4", "fsdp1-2"}) {
    const std::string pickle = DistributedFolder::Fixture(name).files.at(".metadata");
    for (int i = 0; i < 4000; ++i) {
      std::string changed = pickle;
      for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        changed[random() % changed.size()] = static_cast<char>(random());
      }
      const auto metadata = ParseDistributedMetadata(changed, "test.pt");
      if (!metadata.ok()) {
        ++refused;
        ExpectRefused(metadata.error(), name);
        continue;
      }
      for (const auto& tensor : metadata->tensors) {
        for (const auto& chunk : tensor.chunks) ASSERT_LT(chunk.item.file, metadata->files.size());
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(DistributedMetadata, RefusesATensorOfAnUnknownTypeByName) {
  std::string pickle = DistributedFolder::Fixture("plain-1").files.at(".metadata");
  const std::size_t at = pickle.find("bfloat16");
  ASSERT_NE(at, pickle.npos);
  const auto metadata = ParseDistributedMetadata(Patched(pickle, at, "quint4x2"), "test.pt");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  ASSERT_EQ(metadata->refused.size(), 1U);
  EXPECT_EQ(metadata->refused[0].name, "model.half");
  EXPECT_THAT(metadata->refused[0].why, HasSubstr("'quint4x2'"));
}

// ------------------------------------------------------------------------------------------- pickles made by hand

std::string Object(const std::string& name, const std::string& attributes, const std::string& module = kModule) {
  return Global(module, name) + ")\x81}(" + attributes + "ub";
}
std::string SizeOf(std::int32_t size) { return Global("torch", "Size") + Int(size) + "\x85\x85R"; }
std::string Properties() {
  return Global(kModule, "TensorProperties") + ")\x81(" + Global("torch", "float32") + "N\x89N\x89tb";
}
std::string Chunk(std::int32_t offset, std::int32_t size) {
  return Object("ChunkStorageMetadata", Text("offsets") + SizeOf(offset) + Text("sizes") + SizeOf(size));
}
std::string TensorEntry(std::int32_t size, const std::string& chunks) {
  return Object("TensorStorageMetadata",
                Text("properties") + Properties() + Text("size") + SizeOf(size) + Text("chunks") + chunks);
}
std::string Place(const std::string& name, const std::string& others = "", std::int32_t begin = 0) {
  return Object("MetadataIndex", Text("fqn") + Text(name) + Text("offset") + SizeOf(0)) +
         Object("_StorageInfo",
                Text("relative_path") + Text("a") + Text("offset") + Int(begin) + Text("length") + Int(100) + others,
                "torch.distributed.checkpoint.filesystem");
}
std::string MetadataOf(const std::string& entries, const std::string& places, const std::string& others = "") {
  return Pickle(Object("Metadata", Text("state_dict_metadata") + "}(" + entries + "u" + Text("storage_data") + "}(" +
                                       places + "u" + others));
}

TEST(DistributedMetadata, IsReadWithoutPlannerData) {
  const auto metadata =
      ParseDistributedMetadata(MetadataOf(Text("w") + TensorEntry(3, "](" + Chunk(0, 3) + "e"), Place("w")), "test.pt");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  ASSERT_EQ(metadata->tensors.size(), 1U);
  EXPECT_EQ(metadata->tensors[0].shape, std::vector<std::int64_t>{3});
  EXPECT_TRUE(metadata->paths.empty());
}

TEST(DistributedMetadata, RefusesWhatAnExtensionTransformed) {
  const std::string transformed = Text("transform_descriptors") + "](" + Text("stream.zstd") + "e";
  const auto metadata = ParseDistributedMetadata(
      MetadataOf(Text("w") + TensorEntry(3, "](" + Chunk(0, 3) + "e"), Place("w", transformed)), "test.pt");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  EXPECT_TRUE(metadata->tensors.empty());
  ASSERT_EQ(metadata->refused.size(), 1U);
  EXPECT_THAT(metadata->refused[0].why, HasSubstr("compressed"));
}

TEST(DistributedMetadata, ExecutesNothing) {
  const std::string attack = Global("os", "system") + Text("touch /tmp/attacked") + "\x85R";
  const struct {
    const char* name;
    std::string pickle;
    bool is_refused;
  } cases[] = {
      {"as the whole", Pickle(attack), true},
      {"with the class's name before it", Pickle(Text(kModule) + "0" + attack), true},
      {"as a tensor", MetadataOf(Text("w") + attack, ""), true},
      {"as a chunk", MetadataOf(Text("w") + TensorEntry(3, "](" + attack + "e"), Place("w")), true},
      {"as a place", MetadataOf("", attack + attack), true},
      {"as another class's object", Pickle(Object("Metadata", Text("state_dict_metadata") + "}", "os")), true},
      {"where nothing is read", MetadataOf("", "", Text("storage_meta") + attack), false},
      {"as planner_data", MetadataOf("", "", Text("planner_data") + attack), false},
  };
  for (const auto& [name, pickle, is_refused] : cases) {
    const auto metadata = ParseDistributedMetadata(pickle, "test.pt");
    EXPECT_EQ(metadata.ok(), !is_refused) << name;
    if (!metadata.ok()) ExpectRefused(metadata.error(), name);
  }
}

// Some bytes for each further tensor, which all have the same thousand chunks.
TEST(DistributedMetadata, OfSharedValuesIsRefusedBeforeItGrows) {
  std::string chunks = "](";
  for (int i = 0; i < 1000; ++i) chunks += Chunk(i, 1);
  std::string entries = Text("t0") + TensorEntry(1000, chunks + "eq\1");
  for (int i = 1; i < 2000; ++i) entries += Text("t" + std::to_string(i)) + TensorEntry(1000, "h\1");
  EXPECT_THAT(ErrorOfPickle(MetadataOf(entries, Place("t0"))).message, HasSubstr("'t0': no file has its slice"));
}

TEST(DistributedMetadata, OfSharedPathsIsRefusedBeforeItGrows) {
  std::string path = "(";
  for (int i = 0; i < 10'000; ++i) path += Text("a");
  std::string paths = Text("planner_data") + "}(" + Text("p0") + path + "tq\1";
  for (int i = 1; i < 20'000; ++i) paths += Text("p" + std::to_string(i)) + "h\1";
  EXPECT_THAT(ErrorOfPickle(MetadataOf("", "", paths + "u")).message, HasSubstr("shared so often"));
}

TEST(DistributedMetadata, OfASharedLongNameIsRefusedInTime) {
  const std::string name(1 << 20, 'x');
  std::string entries = Text("t0") + Global("torch.distributed." + name, "TensorStorageMetadata") + "q\1)\x81";
  for (int i = 1; i < 20'000; ++i) entries += Text("t" + std::to_string(i)) + "h\1)\x81";
  ExpectRefused(ErrorOfPickle(MetadataOf(entries, "")), "a long name");
}

}  // namespace
}  // namespace gcsflux::formats_tests
