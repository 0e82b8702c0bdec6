#include "formats/convert_checkpoint.h"

#include <gmock/gmock.h>

#include "formats/checkpoint_reader.h"
#include "formats/made_tensors.h"
#include "formats/random_checkpoint.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using enum CheckpointFormat;

std::string Converted(const std::string& file, CheckpointFormat format, bool is_tensors_only = false) {
  std::string converted;
  const auto checkpoint = OpenedAny(file);
  EXPECT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  const auto done = internal::WriteConverted(*checkpoint, format, SinkInto(converted), is_tensors_only);
  EXPECT_TRUE(done.ok()) << done.error().message;
  return converted;
}

Error WhyNotConverted(const std::string& file, CheckpointFormat format) {
  std::string converted;
  return testing::ErrorOf(internal::WriteConverted(*OpenedAny(file), format, SinkInto(converted)));
}

TEST(ConvertCheckpoint, KeepsAllTensors) {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"large", DType::kInt16, {3, 1'000'000}, Varied(6'000'000)});
  const std::string torch = TorchFileOf(tensors);
  const std::string safetensors = Converted(torch, kSafetensors);
  const auto as_safetensors = OpenedAny(safetensors);
  ASSERT_TRUE(as_safetensors.ok()) << as_safetensors.error().message;
  ExpectHolds(*as_safetensors, tensors);
  EXPECT_TRUE(as_safetensors->reader().IsVerifiable(0));
  const std::string back = Converted(safetensors, kTorchFile);
  const auto as_torch = OpenedAny(back);
  ASSERT_TRUE(as_torch.ok()) << as_torch.error().message;
  EXPECT_EQ(as_torch->format(), kTorchFile);
  ExpectHolds(*as_torch, tensors);
}

TEST(ConvertCheckpoint, KeepsAnUnnamedTensor) {
  const std::vector<MadeTensor> tensors = {{"", DType::kUint8, {2, 3}, Varied(6)}, {"#0", DType::kUint8, {1}, "x"}};
  const std::string torch = Converted(SafetensorsOf(tensors), kTorchFile);
  ExpectHolds(*OpenedAny(torch), tensors);
  const std::string back = Converted(torch, kSafetensors);
  const auto opened = OpenedAny(back);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ExpectHolds(*opened, tensors);
}

// Views, strides and shared storages become tensors of their own.
TEST(ConvertCheckpoint, RoundTripsRandomCheckpoints) {
  int converted = 0;
  for (unsigned seed = 0; seed < 1'000; ++seed) {
    const std::string file = FileOf(MakeRandomCheckpoint(seed));
    const auto checkpoint = OpenedAny(file);
    ASSERT_TRUE(checkpoint.ok()) << "seed " << seed;
    std::string safetensors;
    const auto done =
        internal::WriteConverted(*checkpoint, kSafetensors, SinkInto(safetensors), /*is_tensors_only=*/true);
    if (!done.ok()) {  // complex32 and complex128.
      ASSERT_THAT(done.error().message, HasSubstr("which safetensors lacks")) << "seed " << seed;
      continue;
    }
    ++converted;
    const std::string back = Converted(safetensors, kTorchFile);
    const auto compared = CompareCheckpoints(*checkpoint, *OpenedAny(back));
    ASSERT_TRUE(compared.ok()) << "seed " << seed << ": " << compared.error().message;
    ASSERT_TRUE(compared->empty()) << "seed " << seed << ": " << compared->front().name;
  }
  EXPECT_GT(converted, 500);
}

TEST(ConvertCheckpoint, NamesValuesThatTheOtherFormatCannotHold) {
  const std::string torch =
      TorchFileOf(SomeTensors(), {{{.any = std::string("epoch")}, {.any = std::int64_t{3}}},
                                  {{.any = std::string("lr")}, {.any = pickled::List{{{.any = 0.5}, {.any = 0.1}}}}}});
  EXPECT_THAT(testing::ValueOf(internal::OtherValues(*OpenedAny(torch))), ElementsAre("epoch", "lr.0", "lr.1"));
  const Error error = WhyNotConverted(torch, kSafetensors);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("'epoch', 'lr.0', 'lr.1'"));
  const std::string only = Converted(torch, kSafetensors, /*is_tensors_only=*/true);
  ExpectHolds(*OpenedAny(only), SomeTensors());
  const std::string note = SafetensorsOf(SomeTensors(), true, {{"format", "pt"}, {"note", "x"}});
  EXPECT_THAT(WhyNotConverted(note, kTorchFile).message, HasSubstr("'__metadata__.note'"));
}

TEST(ConvertCheckpoint, RefusesTypesThatTheOtherFormatLacks) {
  const std::string complex = TorchFileOf({{"c", DType::kComplex128, {1}, std::string(16, '\0')}});
  EXPECT_THAT(WhyNotConverted(complex, kSafetensors).message, HasSubstr("complex128"));
  const std::string half = TorchFileOf({{"h", DType::kComplex32, {1}, std::string(4, '\0')}});
  const Error refused = WhyNotConverted(half, kTorchFile);
  EXPECT_TRUE(testing::FailsWith(refused, ErrorCode::kInvalidArgument, HasSubstr("'h' is of complex32")));
  const std::string small = SafetensorsOf({{"f", DType::kFloat8E5m2, {1}, "x"}});
  EXPECT_THAT(WhyNotConverted(small, kTorchFile).message, HasSubstr("float8_e5m2"));
  EXPECT_THAT(WhyNotConverted(small, kLibtorchArchive).message, HasSubstr("libtorch"));
}

TEST(ConvertCheckpoint, DoesNotCopyDamage) {
  std::vector<MadeTensor> tensors = SomeTensors();
  tensors.push_back({"large", DType::kUint8, {3'000'000}, Varied(3'000'000)});
  for (const std::string& file : {TorchFileOf(tensors), SafetensorsOf(tensors)}) {
    const CheckpointFormat other = OpenedAny(file)->format() == kTorchFile ? kSafetensors : kTorchFile;
    for (const std::string& bytes : {tensors[0].bytes, tensors.back().bytes}) {
      std::string damaged = file;
      const std::size_t at = file.find(bytes);
      ASSERT_NE(at, file.npos);
      damaged[at + 50] = static_cast<char>(damaged[at + 50] ^ 1);
      EXPECT_EQ(WhyNotConverted(damaged, other).code, ErrorCode::kCorrupted);
    }
  }
}

TEST(ConvertCheckpoint, ReturnsTheSinksError) {
  const std::string file = TorchFileOf(SomeTensors());
  const ByteSink full = [](std::span<const std::byte>) { return Error{ErrorCode::kLocalIo, "full"}; };
  EXPECT_EQ(testing::ErrorOf(internal::WriteConverted(*OpenedAny(file), kSafetensors, full)).code, ErrorCode::kLocalIo);
}

}  // namespace
}  // namespace gcsflux::formats_tests
