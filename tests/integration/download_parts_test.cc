// Parts of objects: near ones of one object are read by one request, and each is compared with its own checksum.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/object_reader.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/stored_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using testing::TextOf;

class DownloadPartsTest : public testing::StoredObjects {
 protected:
  void SetUp() override {
    testing::StoredObjects::SetUp();
    objects_ = Store({300'000, 300'000});
  }

  [[nodiscard]] DownloadSource Part(std::size_t object, std::uint64_t offset, std::uint64_t size) const {
    DownloadSource part = objects_[object];
    part.crc32c = Crc32cOf(std::as_bytes(std::span(contents_[object])).subspan(offset, size));
    part.offset = offset;
    part.size = size;
    return part;
  }

  // Downloads them, compares their bytes, and returns the number of requests.
  std::uint64_t Download(const std::vector<DownloadSource>& parts, const DownloaderOptions& options = {}) const {
    const auto before = client_.counters();
    const auto batch = Downloader(client_, options).Download(parts);
    EXPECT_TRUE(batch.ok()) << batch.error().message;
    for (std::size_t i = 0; batch && i < parts.size(); ++i) {
      const std::size_t object = parts[i].object.name == objects_[0].object.name ? 0 : 1;
      EXPECT_TRUE(TextOf((*batch)[i].bytes) == contents_[object].substr(*parts[i].offset, parts[i].size)) << i;
    }
    return (client_.counters() - before).requests;
  }

  std::vector<DownloadSource> objects_ = {};
};

TEST_F(DownloadPartsTest, AreJoinedIfTheyFollowEachOther) {
  EXPECT_EQ(Download({Part(0, 0, 1000), Part(0, 1000, 5), Part(0, 1005, 100'000), Part(0, 105'000, 195'000)}), 1U);
  EXPECT_EQ(Download({Part(0, 100, 1000), Part(0, 2000, 1000)}), 1U) << "with what is between them";
}

TEST_F(DownloadPartsTest, AreReadAloneOtherwise) {
  EXPECT_EQ(Download({Part(0, 1000, 1000), Part(0, 0, 1000)}), 2U) << "backwards";
  EXPECT_EQ(Download({Part(0, 0, 1000), Part(0, 500, 1000)}), 2U) << "overlapping";
  EXPECT_EQ(Download({Part(0, 0, 1000), Part(0, 200'000, 1000)}), 2U) << "far apart";
  EXPECT_EQ(Download({Part(0, 0, 1000), Part(1, 1000, 1000)}), 2U) << "of two objects";
  EXPECT_EQ(Download({Part(0, 7, 299'000)}, {.range_bytes = 100'000}), 3U) << "in ranges";
  EXPECT_EQ(Download({Part(0, 7, 0), Part(0, 7, 1)}), 1U) << "an empty one needs no request";
}

TEST_F(DownloadPartsTest, AreNeverComposed) {
  EXPECT_EQ(Download({Part(0, 0, 10), Part(1, 0, 10), Part(0, 50'000, 10)}, {.composition = CompositionMode::kOn}), 3U);
}

TEST_F(DownloadPartsTest, OfWrongBytesAreReadOnceMoreAndThenAnErrorOfTheirOwn) {
  testing::LoadFault(emulator_, "wrong", {.operation = "storage.objects.get"}, {.type = "corrupt", .at_byte = 3}, 1);
  EXPECT_EQ(Download({Part(0, 0, 10), Part(0, 10, 10)}), 2U);
  EXPECT_EQ(emulator_.faults().Fired("wrong"), 1U);
  emulator_.faults().Clear();
  auto parts = std::vector{Part(0, 0, 10), Part(0, 10, 10), Part(0, 20, 10)};
  *parts[1].crc32c ^= 1;
  const auto batch = Downloader(client_, {.delivers_failures = true}).Download(parts);
  ASSERT_TRUE(batch.ok());
  EXPECT_FALSE((*batch)[0].error);
  EXPECT_EQ((*batch)[1].error->code, ErrorCode::kCorrupted);
  EXPECT_THAT((*batch)[1].error->message, HasSubstr(objects_[0].object.name));
  EXPECT_FALSE((*batch)[2].error);
  const auto alone = Downloader(client_).Download(std::span(parts).subspan(1, 1));
  EXPECT_TRUE(testing::FailsWith(alone, ErrorCode::kCorrupted, HasSubstr(objects_[0].object.name)));
}

TEST_F(DownloadPartsTest, BehindTheEndAreAnError) {
  auto part = Part(0, 299'000, 1000);
  part.size = 2000;
  EXPECT_TRUE(testing::FailsWith(Downloader(client_).Download(std::span(&part, 1)), ErrorCode::kCorrupted,
                                 HasSubstr("[299000, 301000)")));
}

TEST_F(DownloadPartsTest, AreRefusedByObjectReaders) {
  EXPECT_TRUE(testing::FailsWith(ObjectReader::Open(client_, Part(0, 0, 10)), ErrorCode::kInvalidArgument,
                                 HasSubstr("a part of the object")));
}

}  // namespace
}  // namespace gcsflux
