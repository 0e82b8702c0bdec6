// Uploads of repeatable sources: a source that changes, and a caller that stops.
#include "transfer/upload/rewindable_upload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/client_core.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux::internal {
namespace {

using testing::ErrorOf;
using testing::kChunk;
using testing::kObject;
using testing::Pattern;

class ChangedSource : public UploadSource {
 public:
  explicit ChangedSource(std::size_t size) : bytes_(Pattern(size)) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<void> ReadInto(std::uint64_t offset, std::span<std::byte> room) const override {
    std::ranges::copy(AsBytes(bytes_).subspan(static_cast<std::size_t>(offset), room.size()), room.begin());
    return {};
  }
  [[nodiscard]] Result<void> CheckUnchanged() const override { return Error{ErrorCode::kLocalIo, "it has changed"}; }
  [[nodiscard]] std::string Fingerprint() const override { return {}; }

 private:
  const std::string bytes_;
};

TEST(RewindableUpload, StoresNothingOfAChangedSource) {
  for (const std::size_t size : {std::size_t{7}, kChunk, kChunk + 7, 2 * kChunk}) {
    testing::FakeGcs gcs;
    const Client client = testing::MakeClient(gcs);
    const Error error =
        ErrorOf(UploadRewindable(CoreOf(client), kObject, ChangedSource(size), {.chunk_bytes = kChunk}));
    EXPECT_NE(error.message.find("it has changed"), std::string::npos) << size << ": " << error.message;
    EXPECT_EQ(gcs.commits, 0) << size;
    EXPECT_TRUE(gcs.sessions.empty()) << size;
  }
}

TEST(RewindableUpload, SendsNothingAfterItsCallerStops) {
  testing::FakeGcs gcs;
  const Client client = testing::MakeClient(gcs);
  std::stop_source stop;
  gcs.on_request = [&] {
    if (gcs.requests.size() == 2) stop.request_stop();
  };
  const Error error = ErrorOf(
      UploadObject(client, kObject, AsBytes(Pattern(3 * kChunk)), {.chunk_bytes = kChunk, .stop = stop.get_token()}));
  EXPECT_EQ(error.code, ErrorCode::kCancelled);
  EXPECT_EQ(gcs.requests.size(), 2U);
}

}  // namespace
}  // namespace gcsflux::internal
