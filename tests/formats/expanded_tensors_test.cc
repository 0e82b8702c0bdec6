// Tensors whose strides of 0 claim more elements than there are bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/checkpoint_reader.h"
#include "formats/convert_checkpoint.h"
#include "formats/made_tensors.h"
#include "formats/pickles.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::formats_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int32_t kLong = 1 << 30;

// One tensor "w" of float32, whose elements are all the first one of its storage.
std::string FileOfExpanded(std::int32_t first, std::int32_t second, std::int32_t third) {
  const std::string zero = Int(0);
  const HandmadeTensor tensor{.shape = Int(first) + Int(second) + Int(third) + "\x87",
                              .strides = zero + zero + zero + "\x87"};
  return FileWith(Pickle("}" + Text("w") + TensorOf(tensor) + "s"));
}

TEST(ExpandedTensors, AreRefusedIfTheirSizeOverflows) {
  for (const std::int32_t more : {2, 4, 5}) {  // 2^63 bytes; 2^64, which overflows to 0; and more.
    const std::string file = FileOfExpanded(kLong, kLong, more);
    const auto opened = Opened(file);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_TRUE(testing::FailsWith(opened->Find("w"), ErrorCode::kUndecodable, HasSubstr("the shape is too large")))
        << more;
  }
}

TEST(ExpandedTensors, FailIfTheyExceedTheMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's operator new aborts without memory";
#endif
  const std::string file = FileOfExpanded(kLong, kLong, 1);
  const auto opened = OpenedAny(file);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_THAT(opened->tensors(), SizeIs(1));
  ASSERT_EQ(TensorBytes(opened->tensors()[0].layout), std::uint64_t{1} << 62);
  std::string converted;
  for (const Error& error :
       {testing::ErrorOf(CompareCheckpoints(*opened, *opened)),
        testing::ErrorOf(internal::WriteConverted(*opened, CheckpointFormat::kSafetensors, SinkInto(converted)))}) {
    EXPECT_EQ(error.code, ErrorCode::kLocalIo);
    EXPECT_THAT(error.message, HasSubstr("no memory for 'w', 4611686018427387904 bytes"));
  }
}

}  // namespace
}  // namespace gcsflux::formats_tests
