// An ObjectReader while answers hang: it ends, and it fetches abandoned bytes again.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/object_reader.h"
#include "support/fails_with.h"
#include "support/raw_server.h"
#include "support/room_in.h"

namespace gcsflux {
namespace {

using testing::RawServer;
using testing::RoomIn;

constexpr std::uint64_t kStripe = 4U << 20;
constexpr std::uint64_t kSize = 8 * kStripe;

char ByteAt(std::uint64_t offset) { return static_cast<char>(offset * 2'654'435'761U >> 24); }

std::string BytesAt(std::uint64_t offset, std::uint64_t length) {
  std::string bytes(length, '\0');
  for (std::uint64_t i = 0; i < length; ++i) bytes[i] = ByteAt(offset + i);
  return bytes;
}

// Serves ranges of an object. `most_of(offset)` is how many bytes of the answer to a range from there are sent; then
// the answer hangs until the client abandons it.
class HangingObject {
 public:
  explicit HangingObject(std::function<std::uint64_t(std::uint64_t offset)> most_of, std::string hash = "")
      : most_of_(std::move(most_of)), hash_(std::move(hash)), server_([this](RawServer::Connection& connection) {
          while (Serve(connection)) {
          }
        }) {}

  [[nodiscard]] ObjectReader Open(ObjectReaderOptions options = {}) const {
    const auto client = *Client::Create({.endpoint = server_.endpoint(), .credentials = Credentials::Anonymous()});
    options.range_bytes = kStripe;
    options.max_concurrency = 2;
    options.reads_whole = true;
    options.tail_bytes = 0;
    return *ObjectReader::Open(client, DownloadSource{.object = {"bkt", "o"}, .size = kSize, .generation = 7},
                               std::move(options));
  }

 private:
  bool Serve(RawServer::Connection& connection) {
    const std::string head = connection.ReadHead();
    const auto at = head.find("ange: bytes=");
    if (at == std::string::npos) return false;
    std::size_t read = 0;
    const std::uint64_t begin = std::stoull(head.substr(at + 12), &read);
    const std::uint64_t end = std::stoull(head.substr(at + 13 + read)) + 1;
    const std::uint64_t sent = std::min(most_of_(begin), end - begin);
    connection.Send("HTTP/1.1 206 Partial Content\r\nx-goog-generation: 7\r\n" + hash_ + "Content-Range: bytes " +
                    std::to_string(begin) + "-" + std::to_string(end - 1) + "/" + std::to_string(kSize) +
                    "\r\nContent-Length: " + std::to_string(end - begin) + "\r\n\r\n" + BytesAt(begin, sent));
    if (sent == end - begin) return true;
    hung_.fetch_add(1);
    connection.WaitForClose();
    return false;
  }

  const std::function<std::uint64_t(std::uint64_t offset)> most_of_;
  const std::string hash_;

 public:
  std::atomic<int> hung_ = 0;

 private:
  const RawServer server_;  // Last: its scripts use the others.
};

// The rest of the dropped piece is so short that it is worth waiting for, but it never arrives.
TEST(ObjectReaderEnd, DoesNotWaitForAHangingDroppedPiece) {
  std::latch begun(1);
  HangingObject object([&](std::uint64_t offset) {
    if (offset != kStripe) return kSize;
    begun.count_down();
    return kStripe - 100;
  });
  auto reader = object.Open();
  std::string room(kStripe, '\0');
  ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
  begun.wait();
  // Reads the second piece as far as it arrives, so that only its rest is missing.
  room.resize(kStripe - 100);
  ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
  EXPECT_EQ(room, BytesAt(kStripe, room.size()));
  reader.Seek(kSize - 10);
  room.resize(10);
  ASSERT_TRUE(reader.ReadNext(RoomIn(room)).ok());
  EXPECT_EQ(room, BytesAt(kSize - 10, 10));
}

TEST(ObjectReaderEnd, FollowsAStoppedHangingRead) {
  std::stop_source stop;
  std::latch hangs(1);
  HangingObject object([&](std::uint64_t offset) -> std::uint64_t {
    if (offset != 0) return 1000;
    hangs.count_down();
    return 100;
  });
  auto reader = object.Open({.stop = stop.get_token()});
  const std::jthread stopper([&] {
    hangs.wait();
    stop.request_stop();
  });
  std::string room(1000, '\0');
  EXPECT_TRUE(testing::FailsWith(reader.ReadNext(RoomIn(room)), ErrorCode::kCancelled));
}

// One thread waits for a piece; another one seeks away, which cancels the piece. The waiting read asks for its first
// range itself, after it has found its second range in the piece: so the piece is cancelled while it is awaited.
TEST(ObjectReaderPiece, IsFetchedAgainIfCancelledWhileAwaited) {
  constexpr std::uint64_t kOwn = 7 * kStripe;
  std::atomic<int> of_second = 0;
  std::latch second_hangs(1);
  std::latch own_came(1);
  HangingObject object([&](std::uint64_t offset) -> std::uint64_t {
    if (offset == kOwn) own_came.count_down();
    if (offset < kStripe || offset >= 2 * kStripe || of_second.fetch_add(1) > 0) return kSize;
    second_hangs.count_down();
    return 10;
  });
  auto reader = object.Open();
  std::string first(10, '\0');
  ASSERT_TRUE(reader.ReadNext(RoomIn(first)).ok());
  second_hangs.wait();
  std::vector<std::string> rooms(2, std::string(1000, '\0'));
  std::optional<Result<void>> read;
  {
    const std::jthread other([&] { read = reader.Read({{kOwn, RoomIn(rooms[0])}, {kStripe, RoomIn(rooms[1])}}); });
    own_came.wait();
    reader.Seek(kSize);
  }
  ASSERT_TRUE(read->ok()) << read->error().message;
  EXPECT_EQ(rooms[0], BytesAt(kOwn, 1000));
  EXPECT_EQ(rooms[1], BytesAt(kStripe, 1000));
  EXPECT_EQ(of_second, 2);
}

TEST(ObjectReaderMove, LeavesAReaderThatReportsAnError) {
  HangingObject object([](std::uint64_t) { return kSize; });
  auto reader = object.Open();
  const auto moved = std::move(reader);
  std::string room(10, '\0');
  const auto read = reader.ReadNext(RoomIn(room));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(testing::FailsWith(read, ErrorCode::kInvalidArgument));
  EXPECT_EQ(reader.size(), 0U);
  reader.Seek(5);
  EXPECT_FALSE(reader.VerifyWhole().ok());
  EXPECT_TRUE(moved.ReadAt(0, RoomIn(room)).ok());
}

// The source has no checksum: that of the answers is used.
TEST(ObjectReaderVerification, UsesTheChecksumOfTheAnswers) {
  HangingObject object([](std::uint64_t) { return kSize; }, "x-goog-hash: crc32c=AAAAAA==\r\n");
  EXPECT_TRUE(testing::FailsWith(object.Open().VerifyWhole(), ErrorCode::kCorrupted));
}

}  // namespace
}  // namespace gcsflux
