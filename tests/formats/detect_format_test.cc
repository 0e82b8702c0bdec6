#include <gtest/gtest.h>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"
#include "formats/pickles.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using enum CheckpointFormat;

std::string Safetensors() {
  std::string file;
  const TensorWriter nothing = [](std::size_t, const ByteSink&) { return Result<void>(); };
  EXPECT_TRUE(WriteSafetensors({}, nothing, SinkInto(file)).ok());
  return file;
}

TEST(DetectFormat, ReadsTheBytesNotTheName) {
  struct Case {
    const char* name;
    std::string file;
    CheckpointFormat want;
  };
  for (const Case& one :
       {Case{"torch.save", FileWith(Pickle("N")), kOtherZip},
        Case{"another archive", ZipOf({{"readme", "hi"}}), kOtherZip}, Case{"an empty archive", ZipOf({}), kOtherZip},
        Case{"safetensors", Safetensors(), kSafetensors}, Case{"an index", IndexOf({{"a", "b"}}), kSafetensorsIndex},
        Case{"the old format",
             std::string("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 20),
             kOldTorchFile},
        Case{"a pickle", Pickle("N"), kUnknown}, Case{"nothing", "", kUnknown}, Case{"text", "hello", kUnknown},
        Case{"zeros", std::string(100, '\0'), kUnknown}, Case{"HTML", "<html>", kUnknown},
        Case{"a header of 1 GB", Number(1'000'000'000, 8) + "{}", kUnknown}}) {
    const CheckpointFormat format = internal::DetectFormat(BytesOf(one.file));
    EXPECT_EQ(format, one.want) << one.name << " is told to be " << FormatName(format);
  }
}

TEST(DetectFormat, NeedsTheFirst64Bytes) {
  const std::string file = FileWith(Pickle("N"));
  EXPECT_EQ(internal::DetectFormat(BytesOf(std::string_view(file).substr(0, 64))), kOtherZip);
  EXPECT_EQ(internal::DetectFormat(BytesOf(Safetensors())), kSafetensors);
}

TEST(StoredCheckpoint, TellsArchivesOfTorchFromOthers) {
  const std::string torch = FileWith(Pickle("N"));
  EXPECT_EQ(OpenedAny(torch)->format(), kTorchFile);
  const std::string libtorch = ZipOf({{"x/data.pkl", Pickle("N")}, {"x/constants.pkl", Pickle(")")}});
  EXPECT_EQ(OpenedAny(libtorch)->format(), kLibtorchArchive);
  for (const std::string& other : {ZipOf({{"readme", "hi"}}), torch.substr(0, 100)}) {
    EXPECT_EQ(testing::ErrorOf(OpenedAny(other)).code, ErrorCode::kUndecodable);
  }
}

TEST(FormatName, NamesEachFormat) {
  for (int format = 0; format <= static_cast<int>(kOldTorchFile); ++format) {
    EXPECT_FALSE(FormatName(static_cast<CheckpointFormat>(format)).empty());
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
