// Random operations of ObjectReader against a std::string, while requests fail and bytes are corrupted.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "client/client_core.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/object_reader.h"
#include "support/load_fault.h"
#include "support/result.h"
#include "support/room_in.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;

using testing::kObject;
using testing::RoomIn;

std::string RandomBytes(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class ObjectReaderRandomTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt")); }
  Client MakeClient(std::uint64_t max_undelivered_bytes) const {
    return *Client::Create(
        {.endpoint = emulator_.endpoint(),
         .project = "p",
         .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(2)}),
         .max_undelivered_bytes = max_undelivered_bytes});
  }
  void Load(const emulator::FaultAction& action, double probability) {
    emulator_.faults().Load({.seed = 7,
                             .rules = {{.name = "it",
                                        .match = {.operation = "storage.objects.get", .probability = probability},
                                        .action = action}}});
  }

  emulator::Emulator emulator_;
  const Client client_ = MakeClient(64 << 10);
};

ObjectReaderOptions RandomOptions(std::mt19937& random, std::size_t size) {
  return {.max_concurrency = static_cast<int>(1 + random() % 6),
          .range_bytes = 1 + random() % (size / 4 + 100),
          .max_gap_bytes = random() % 3 == 0 ? std::nullopt : std::optional<std::uint64_t>(random() % 500),
          .read_ahead_bytes = 1 + random() % (2 * size + 1),
          .tail_bytes = random() % 3 == 0 ? 0 : random() % 700};
}

void ReadAtAndCompare(const ObjectReader& reader, const std::string& content, std::mt19937& random) {
  const std::size_t offset = random() % (content.size() + 10);
  std::string room(random() % 3000, '\0');
  const auto read = reader.ReadAt(offset, RoomIn(room));
  ASSERT_TRUE(read.ok()) << testing::ErrorOf(read).message;
  ASSERT_EQ(*read, offset < content.size() ? std::min(room.size(), content.size() - offset) : 0U);
  EXPECT_EQ(room.substr(0, *read), content.substr(std::min(offset, content.size()), *read)) << "at " << offset;
}

void ReadRangesAndCompare(const ObjectReader& reader, const std::string& content, std::mt19937& random) {
  std::vector<std::string> rooms(random() % 12);
  std::vector<RangeRead> ranges;
  std::vector<std::string> wanted;
  for (std::string& room : rooms) {
    const std::size_t offset = random() % (content.size() + 1);
    room.resize(random() % std::min<std::size_t>(2000, content.size() - offset + 1));
    ranges.push_back({offset, RoomIn(room)});
    wanted.push_back(content.substr(offset, room.size()));
  }
  const Checksum kind = random() % 2 == 0 ? Checksum::kCrc32 : Checksum::kCrc32c;
  const auto sums = reader.ReadSummed(ranges, kind);
  ASSERT_TRUE(sums.ok()) << testing::ErrorOf(sums).message;
  EXPECT_EQ(rooms, wanted);
  ASSERT_EQ(sums->size(), ranges.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ((*sums)[i], internal::ExtendChecksum(kind, 0, AsBytes(wanted[i]))) << "range " << i;
  }
}

void ReadOnAndCompare(ObjectReader& reader, const std::string& content, std::mt19937& random) {
  if (random() % 3 == 0) reader.Seek(random() % (content.size() + 10));
  const std::uint64_t at = reader.position();
  std::string room(1 + random() % 1500, '\0');
  const auto read = reader.ReadNext(RoomIn(room));
  ASSERT_TRUE(read.ok()) << testing::ErrorOf(read).message;
  ASSERT_EQ(*read == 0, at >= content.size());
  EXPECT_EQ(room.substr(0, *read), content.substr(std::min<std::size_t>(at, content.size()), *read)) << "at " << at;
  EXPECT_EQ(reader.position(), at + *read);
}

void LendAndCompare(ObjectReader& reader, const std::string& content, std::mt19937& random) {
  if (random() % 3 == 0) reader.Seek(random() % (content.size() + 10));
  const std::uint64_t at = reader.position();
  const auto lent = reader.NextView();
  ASSERT_TRUE(lent.ok()) << testing::ErrorOf(lent).message;
  ASSERT_EQ(lent->empty(), at >= content.size());
  ReadAtAndCompare(reader, content, random);  // which leaves the borrowed bytes unchanged
  const std::string bytes(reinterpret_cast<const char*>(lent->data()), lent->size());
  EXPECT_EQ(bytes, content.substr(std::min<std::size_t>(at, content.size()), bytes.size())) << "at " << at;
  EXPECT_EQ(reader.position(), at + bytes.size());
}

void DoAndCompare(ObjectReader& reader, const std::string& content, std::mt19937& random, bool may_read_on) {
  switch (random() % (may_read_on ? 8 : 4)) {
    case 0: return ReadRangesAndCompare(reader, content, random);
    case 1: return reader.Prefetch({{random() % (content.size() + 10), random() % 3000}, {random() % 1000, {}}});
    case 2:
    case 3: return ReadAtAndCompare(reader, content, random);
    case 4:
    case 5: return LendAndCompare(reader, content, random);
    default: return ReadOnAndCompare(reader, content, random);
  }
}

TEST_F(ObjectReaderRandomTest, ReadsTheStoredBytesUnderFaults) {
  std::uint64_t fired = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string content = RandomBytes(random, random() % 40'000);
    emulator_.faults().Load({});
    ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(content)).ok());
    auto reader = ObjectReader::Open(client_, kObject, RandomOptions(random, content.size()));
    ASSERT_TRUE(reader.ok());
    const std::vector<emulator::FaultAction> faults = {
        {.type = "cut", .after_bytes = 100}, {.type = "reset"}, {.type = "status", .status = 503}};
    Load(faults[seed % faults.size()], 0.1);
    {
      std::vector<std::jthread> threads;
      for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
          std::mt19937 own(seed * 100 + thread);
          for (int i = 0; i < 12; ++i) DoAndCompare(*reader, content, own, /*may_read_on=*/thread == 0);
        });
      }
    }
    const auto verified = reader->VerifyWhole();
    EXPECT_TRUE(verified.ok()) << testing::ErrorOf(verified).message;
    fired += emulator_.faults().Fired("it");
    if (HasFailure()) break;
  }
  EXPECT_GE(fired, 20U);
  EXPECT_EQ(CoreOf(client_).delivery_budget().held(), 0U);
}

// The byte arrives changed once: in any part, verification detects it.
TEST_F(ObjectReaderRandomTest, FindsEveryCorruptedByte) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string content = RandomBytes(random, 2 + random() % 20'000);
    emulator_.faults().Load({});
    ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(content)).ok());
    auto options = RandomOptions(random, content.size());
    options.range_bytes = std::min<std::uint64_t>(options.range_bytes, content.size() / 2);
    auto reader = ObjectReader::Open(client_, kObject, options);
    ASSERT_TRUE(reader.ok());
    testing::LoadFault(emulator_, "it", {.operation = "storage.objects.get"}, {.type = "corrupt"}, 1);
    std::string room(content.size() / 2, '\0');
    ASSERT_TRUE(reader->ReadAt(random() % (content.size() / 2), RoomIn(room)).ok());
    const auto verified = reader->VerifyWhole();
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    EXPECT_EQ(testing::ErrorOf(verified).code, ErrorCode::kCorrupted);
  }
}

}  // namespace
}  // namespace gcsflux
