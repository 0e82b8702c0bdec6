#include "formats/torch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/crc32.h"
#include "formats/checkpoint_reader.h"
#include "formats/pickles.h"
#include "formats/read_storage.h"
#include "formats/zip/zip_layout.h"
#include "support/concatenated.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using testing::Concatenated;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string FileWithTensor(const HandmadeTensor& tensor) {
  return FileWith(Pickle("}" + Text("w") + TensorOf(tensor) + "s"));
}

TEST(TorchFile, ReadsATensor) {
  const std::string archive = FileWithTensor({});
  CountedSource source(SourceOver(archive));
  ASSERT_TRUE(internal::TorchFile::Open(source.counted).ok());
  EXPECT_EQ(source.reads, 2) << "the archive's end, and the pickle";
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->tensors().size(), 1U);
  const StoredTensor& tensor = file->tensors().front();
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(tensor.layout, (TensorLayout{.dtype = DType::kFloat32, .storage = 0, .shape = {3, 4}, .strides = {4, 1}}));
  std::vector<std::byte> bytes(48);
  EXPECT_TRUE(file->ReadTensor(tensor, bytes).ok());
  EXPECT_EQ(testing::ErrorOf(file->ReadTensor(tensor, std::span(bytes).first(47))).code, ErrorCode::kInvalidArgument);
}

TEST(TorchFile, RefusesTensorsOutsideTheirStorage) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const std::string huge = "\x8A\x08" + Number(1ULL << 62, 8);
  const std::string negative = "\x8A\x08" + Number(1ULL << 63, 8);
  struct Case {
    const char* name;
    HandmadeTensor tensor;
  };
  for (const auto& [name, tensor] :
       {Case{"an offset one too far", {.offset = Int(1)}},
        Case{"an offset far outside", {.offset = Int(most)}},
        Case{"an offset of 2^62", {.offset = huge}},
        Case{"a negative offset", {.offset = Int(-1)}},
        Case{"an offset of -2^63", {.offset = negative}},
        Case{"a row too many", {.shape = Int(4) + Int(4) + "\x86"}},
        Case{"2^62 rows", {.shape = huge + Int(4) + "\x86"}},
        Case{"2^62 by 2^62", {.shape = huge + huge + "\x86"}},
        Case{"negative rows", {.shape = Int(-3) + Int(4) + "\x86"}},
        Case{"a stride one too wide", {.strides = Int(5) + Int(1) + "\x86"}},
        Case{"a stride of 2^62", {.strides = huge + Int(1) + "\x86"}},
        Case{"a negative stride", {.strides = Int(-4) + Int(1) + "\x86"}},
        Case{"a stride too few", {.strides = Int(4) + "\x85"}},
        Case{"a shape of text", {.shape = Text("3") + "\x85"}},
        Case{"no shape", {.shape = "N"}},
        Case{"a storage that is shorter", {.storage = StorageOf("FloatStorage", "0", 11)}},
        Case{"a storage that is longer", {.storage = StorageOf("FloatStorage", "0", 13)}},
        Case{"a storage of another type", {.storage = StorageOf("DoubleStorage", "0", 12)}},
        Case{"a negative storage", {.storage = StorageOf("FloatStorage", "0", -1)}},
        Case{"a storage that is not there", {.storage = StorageOf("FloatStorage", "1", 12)}},
        Case{"a storage outside of its folder", {.storage = StorageOf("FloatStorage", "../version", 12)}},
        Case{"a quantised storage", {.storage = StorageOf("QInt8Storage", "0", 48)}},
        Case{"an unknown storage", {.storage = StorageOf("Storage", "0", 12)}}}) {
    const std::string archive = FileWithTensor(tensor);
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << name << ": " << file.error().message;
    const auto found = file->Find("w");
    ASSERT_FALSE(found.ok()) << name;
    ExpectRefused(found.error(), name);
    EXPECT_EQ(file->refused().size(), 1U) << name;
  }
}

TEST(TorchFile, ReadsEmptyAndScalarTensors) {
  for (const HandmadeTensor& tensor : {HandmadeTensor{.shape = ")", .strides = ")"},
                                       HandmadeTensor{.offset = Int(12), .shape = Int(0) + Int(4) + "\x86"},
                                       HandmadeTensor{.offset = Int(13), .shape = Int(0) + Int(4) + "\x86"}}) {
    const std::string archive = FileWithTensor(tensor);
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->tensors().size(), 1U);
  }
}

TEST(TorchFile, ReadsTensorsOfNewerVersions) {
  const std::string parts = StorageOf("FloatStorage", "0", 12) + Int(4) + Int(2) + "\x85" + Int(4) + "\x85";
  const std::string hooks = Global("collections", "OrderedDict") + ")R";
  const std::string v1 = Global("torch._utils", "_rebuild_tensor") + "(" + parts + "tR";
  const std::string v2 = Global("torch._utils", "_rebuild_tensor_v2") + "(" + parts + "\x88" + hooks + "tR";
  const std::string untyped = "(" + Text("storage") + Global("torch.storage", "UntypedStorage") + Text("0") +
                              Text("cpu") + Int(48) + "tQ" + Int(4) + Int(2) + "\x85" + Int(4) + "\x85";
  const std::string v3 =
      Global("torch._utils", "_rebuild_tensor_v3") + "(" + untyped + "\x89" + hooks + Global("torch", "uint32") + "tR";
  const std::string type = Global("torch._tensor", "_rebuild_from_type_v2") + "(" +
                           Global("torch._utils", "_rebuild_tensor_v2") + Global("torch", "Tensor") + "(" + parts +
                           "\x88" + hooks + "t}tR";
  const std::string state = Global("torch._utils", "_rebuild_parameter_with_state") + "(" + v2 + "\x89" + hooks + "}tR";
  const TensorLayout plain{.offset = 4, .shape = {2}, .strides = {4}};
  auto grad = plain;
  grad.requires_grad = true;
  auto wide = plain;
  wide.dtype = DType::kUint32;
  auto parameter = plain;
  parameter.is_parameter = true;
  struct Case {
    const char* name;
    std::string body;
    TensorLayout want;
  };
  for (const Case& one : {Case{"v1", v1, plain}, Case{"v2", v2, grad}, Case{"v3", v3, wide}, Case{"a type", type, grad},
                          Case{"a parameter with a state", state, parameter}}) {
    const std::string archive = FileWith(Pickle("}" + Text("w") + one.body + "s"));
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << one.name << file.error().message;
    const auto tensor = file->Find("w");
    ASSERT_TRUE(tensor.ok()) << one.name << ": " << tensor.error().message;
    EXPECT_EQ(tensor->layout, one.want) << one.name;
  }
}

// Keys that are neither text nor numbers are named by their place. An empty text is a text.
TEST(TorchFile, NamesTensorsByTheirKeys) {
  const std::string tensor = TensorOf({});
  const std::string inner = "}(" + Text("a") + tensor + Text("") + tensor + "u";
  const std::string archive =
      FileWith(Pickle("}(" + Text("a") + tensor + Text("") + inner + "K\7" + tensor + ")" + tensor + "u"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  std::vector<std::string> names;
  for (const StoredTensor& one : file->tensors()) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("a", ".a", ".", "7", "#3"));
  for (const std::string& name : names) EXPECT_TRUE(file->reader().ReadValue(name).ok()) << name;
}

TEST(TorchFile, RefusesOtherTensorsByName) {
  struct Case {
    const char* module;
    const char* name;
    const char* why;
  };
  for (const Case& one : {Case{"torch._utils", "_rebuild_sparse_tensor", "sparse tensors"},
                          Case{"torch._utils", "_rebuild_qtensor", "quantised tensors"},
                          Case{"torch._utils", "_rebuild_meta_tensor_no_storage", "meta tensors"},
                          Case{"torch.distributed.tensor", "DTensor", "spread over processes"}}) {
    const std::string archive = FileWith(Pickle("}" + Text("w") + Global(one.module, one.name) + ")Rs"));
    const auto file = Opened(archive);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_THAT(testing::ErrorOf(file->Find("w")).message, HasSubstr(one.why));
    EXPECT_THAT(testing::ErrorOf(file->Find("w")).message, HasSubstr(one.name));
  }
}

TEST(TorchFile, NamesOtherFormatsAndTheRemedy) {
  const std::string script = ZipOf({{"x/data.pkl", Pickle("N")}, {"x/constants.pkl", Pickle(")")}});
  EXPECT_EQ(Opened(script)->format(), CheckpointFormat::kLibtorchArchive);
  const std::string plain = FileWith(Pickle("N"));
  EXPECT_EQ(Opened(plain)->format(), CheckpointFormat::kTorchFile);
  const std::string other = ZipOf({{"x/readme", "hello"}});
  EXPECT_THAT(testing::ErrorOf(Opened(other)).message, HasSubstr("no data.pkl"));
  const std::string two = ZipOf({{"x/data.pkl", Pickle("N")}, {"y/data.pkl", Pickle("N")}});
  EXPECT_THAT(testing::ErrorOf(Opened(two)).message, HasSubstr("no data.pkl"));
  const std::string old("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 20);
  EXPECT_THAT(testing::ErrorOf(Opened(old)).message, HasSubstr("save it again with torch.save()"));
}

TEST(TorchFile, RefusesBigEndianFiles) {
  for (const auto& [order, is_read] :
       {std::pair<std::string, bool>{"little", true}, {"big", false}, {"middle", false}}) {
    const std::string archive = ZipOf({{"x/data.pkl", Pickle("N")}, {"x/byteorder", order}});
    EXPECT_EQ(Opened(archive).ok(), is_read) << order;
  }
}

TEST(TorchFile, ReportsAFlippedByteOfATensorAsCorrupted) {
  const std::string archive = FileWithTensor({});
  const std::size_t at = archive.find(std::string(48, '\0'));
  ASSERT_NE(at, archive.npos);
  for (std::size_t i = 0; i < 48; ++i) {
    const std::string damaged = Patched(archive, at + i, "\x01");
    const auto file = Opened(damaged);
    ASSERT_TRUE(file.ok());
    std::vector<std::byte> bytes(48);
    EXPECT_EQ(testing::ErrorOf(ReadStorage(*file, 0, bytes)).code, ErrorCode::kCorrupted) << i;
  }
}

TEST(TorchFile, DetectsEveryHarmfulFlippedBit) {
  const std::string archive = FileWithTensor({});
  for (std::size_t bit = 0; bit < 8 * archive.size(); ++bit) {
    std::string damaged = archive;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto file = Opened(damaged);
    if (!file.ok()) continue;
    std::vector<std::byte> bytes(48);
    const auto tensor = file->Find("w");
    ASSERT_TRUE(tensor.ok() || tensor.error().code == ErrorCode::kUndecodable) << bit;
    if (!tensor.ok() || !file->ReadTensor(*tensor, bytes).ok()) continue;
    EXPECT_EQ(tensor->layout.shape, (std::vector<std::int64_t>{3, 4})) << bit;
    EXPECT_EQ(bytes, std::vector<std::byte>(48)) << bit;
  }
}

// A zip archive whose records' data are aligned, as by the settings of newer versions.
std::string AlignedZip(const Records& records, std::size_t alignment) {
  std::string archive;
  std::string directory;
  for (const auto& [name, data] : records) {
    const std::size_t header = archive.size();
    const std::size_t begin = internal::zip::AlignedData(header, name.size(), data.size(), alignment);
    const std::size_t padding = begin - header - internal::zip::kLocalBytes - name.size() - 4;
    const std::string fields =
        Concatenated({Number(0, 2), Number(0, 2), Number(0, 4), Number(internal::ExtendCrc32(0, BytesOf(data)), 4),
                      Number(data.size(), 4), Number(data.size(), 4), Number(name.size(), 2)});
    archive += Concatenated({"PK\3\4", Number(20, 2), fields, Number(padding + 4, 2), name, "FB", Number(padding, 2),
                             std::string(padding, 'Z'), data});
    directory +=
        Concatenated({"PK\1\2", Number(20, 2), Number(20, 2), fields, std::string(12, '\0'), Number(header, 4), name});
  }
  const std::size_t begin = archive.size();
  const std::string count = Number(records.size(), 2);
  archive += directory + "PK\5\6" + Number(0, 4) + count + count + Number(directory.size(), 4) + Number(begin, 4);
  return archive + Number(0, 2);
}

// The sums that read_all returns count, for any bytes; there must be one for each read, or none.
TEST(TorchFile, VerifiesByTheSourcesChecksums) {
  const std::string pickle = Pickle("}" + Text("w") + TensorOf({}) + "s");
  const std::string archive = AlignedZip({{"x/data.pkl", pickle}, {"x/data/0", std::string(48, '\7')}}, 64);
  std::vector<std::byte> bytes(48);
  enum class Returned { kNone, kRight, kWrong, kTooFew };
  const auto read_with = [&](Returned returned) {
    ByteSource source = SourceOver(archive);
    source.read_all = [&, read_at = source.read_at](std::span<const RangeRead> reads,
                                                    std::optional<Checksum> sum) -> Result<ReadSums> {
      ReadSums sums;
      for (const RangeRead& read : reads) {
        if (auto done = read_at(read.offset, read.into); !done.ok()) return done.error();
        if (sum) sums.push_back(internal::ExtendChecksum(*sum, returned == Returned::kWrong ? 1 : 0, read.into));
      }
      if (returned == Returned::kNone) sums.clear();
      if (returned == Returned::kTooFew && !sums.empty()) sums.pop_back();
      return sums;
    };
    return ReadStorage(*internal::TorchFile::Open(source), 0, bytes);
  };
  EXPECT_TRUE(read_with(Returned::kNone).ok());
  EXPECT_TRUE(read_with(Returned::kRight).ok());
  EXPECT_EQ(read_with(Returned::kWrong).error().code, ErrorCode::kCorrupted);
  EXPECT_EQ(read_with(Returned::kTooFew).error().code, ErrorCode::kInvalidArgument);
}

TEST(TorchFile, FindsStoragesByTheFilesAlignment) {
  const std::string pickle = Pickle("}" + Text("w") + TensorOf({}) + "s");
  for (const auto& [told, calls_wanted] : {std::pair{"4096", 1}, {"64", 2}, {"1", 2}}) {
    const std::string archive =
        AlignedZip({{"x/data.pkl", pickle}, {"x/.storage_alignment", told}, {"x/data/0", std::string(48, '\7')}}, 4096);
    ByteSource source = SourceOver(archive);
    int calls = 0;
    source.read_all = [&calls, read_at = source.read_at](std::span<const RangeRead> reads,
                                                         std::optional<Checksum>) -> Result<ReadSums> {
      if (!reads.empty()) ++calls;
      for (const RangeRead& read : reads) {
        if (auto done = read_at(read.offset, read.into); !done.ok()) return done.error();
      }
      return ReadSums();
    };
    const auto file = internal::TorchFile::Open(source);
    ASSERT_TRUE(file.ok()) << file.error().message;
    std::vector<std::byte> bytes(48);
    calls = 0;
    ASSERT_TRUE(ReadStorage(*file, 0, bytes).ok());
    EXPECT_EQ(bytes, std::vector<std::byte>(48, std::byte{7}));
    EXPECT_EQ(calls, calls_wanted) << told;
  }
  for (const char* told : {"", "0", "-1", "64 ", "x", "99999999999999999999"}) {
    const std::string archive = ZipOf({{"x/data.pkl", pickle}, {"x/.storage_alignment", told}});
    EXPECT_EQ(testing::ErrorOf(Opened(archive)).code, ErrorCode::kUndecodable) << told;
  }
}

TEST(TorchFile, KeepsTwoTensorsOfOneNameSeparate) {
  const std::string archive =
      FileWith(Pickle("}(" + Text("a.b") + TensorOf({}) + Text("a") + "}" + Text("b") + TensorOf({}) + "su"));
  const auto file = Opened(archive);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->tensors().size(), 2U);
  EXPECT_EQ(testing::ErrorOf(file->Find("a.b")).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(file->Find("c")).code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gcsflux::formats_tests
