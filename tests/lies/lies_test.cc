// A service that lies, against every path by which the SDK reads or writes: no wrong byte is delivered, no other object
// or generation is accepted, and unverified bytes are not reported as verified.
#include <gtest/gtest.h>

#include <algorithm>

#include "lies/paths.h"
#include "support/fails_with.h"
#include "support/recorded_events.h"

namespace gcsflux::testing {
namespace {

using How = Lie::How;
using Where = Lie::Where;

// What comes out:
//   V  success; bytes that were compared with the service's CRC32C
//   U  success; a whole object that had nothing to be compared with: counted, told, and kUnverified where a checksum is
//      required
//   O  success; nothing was to be compared
//   B  kBadResponse
//   C  kCorrupted
//   D  kCorrupted, and the generation that was made is deleted
//   .  as where nothing lies
struct Row {
  Lie lie;
  std::string_view wants;  // One letter for each Column; blanks are skipped.
};

constexpr Row kTruth = {{}, "VVV OO VV VVVVVV OOO OOO"};

const Row kRows[] = {
    // Whole Pinned Listed | Range PinnedRange | Stripes ListedStripes | SmallFile File UnlistedFile LookedUp CatTwo
    // Composed | Get PinnedGet Rewrite | Upload Session Multipart
    {{Where::kMedia, "hash", How::kMissing}, "UUV OO UV VVUVVV ... ..."},
    {{Where::kMedia, "hash", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kMedia, "hash", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "hash", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "hash", How::kOther}, "CCC OO CV CVCCCC ... ..."},
    {{Where::kMedia, "generation", How::kMissing}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "generation", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kMedia, "generation", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "generation", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "generation", How::kOther}, "VBB OB BB BBBBBB ... ..."},
    {{Where::kMedia, "size", How::kMissing}, "VVV BB BB BBBBVV ... ..."},
    {{Where::kMedia, "size", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kMedia, "size", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "size", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kMedia, "size", How::kOther}, "BBB OO CC CCCCBB ... ..."},
    {{Where::kMedia, "size", How::kSmaller}, "BBB OO CC BCCBBB ... ..."},

    {{Where::kResumed, "nothing"}, "... .. .. ...... ... ..."},
    {{Where::kResumed, "hash", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kResumed, "hash", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kResumed, "hash", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "hash", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "hash", How::kOther}, "BBB BB BB BBBBBC ... ..."},
    {{Where::kResumed, "generation", How::kMissing}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "generation", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kResumed, "generation", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "generation", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "generation", How::kOther}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "size", How::kMissing}, "BBB BB BB BBBBBV ... ..."},
    {{Where::kResumed, "size", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kResumed, "size", How::kContradicted}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "size", How::kMalformed}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "size", How::kOther}, "BBB BB BB BBBBBB ... ..."},
    {{Where::kResumed, "size", How::kSmaller}, "BBB BB BB BBBBBB ... ..."},

    {{Where::kResource, "hash", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kResource, "hash", How::kMalformed}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "hash", How::kOther}, "... .. .. ...CC. ... DDD"},
    {{Where::kResource, "generation", How::kMissing}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "generation", How::kMalformed}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "generation", How::kOther}, "... .. .. ...BB. .B. ..B"},
    {{Where::kResource, "size", How::kMissing}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "size", How::kMalformed}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "size", How::kOther}, "... .. .. ...CC. ..B BBB"},
    {{Where::kResource, "name", How::kMissing}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "name", How::kOther}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "bucket", How::kMissing}, "... .. .. ...BB. BBB BBB"},
    {{Where::kResource, "bucket", How::kOther}, "... .. .. ...BB. BBB BBB"},

    {{Where::kXml, "hash", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kXml, "hash", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kXml, "hash", How::kContradicted}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "hash", How::kMalformed}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "hash", How::kOther}, "... .. .. ...... ... ..C"},
    {{Where::kXml, "generation", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kXml, "generation", How::kTwice}, "... .. .. ...... ... ..."},
    {{Where::kXml, "generation", How::kContradicted}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "generation", How::kMalformed}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "generation", How::kOther}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "name", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kXml, "name", How::kOther}, "... .. .. ...... ... ..B"},
    {{Where::kXml, "bucket", How::kMissing}, "... .. .. ...... ... ..."},
    {{Where::kXml, "bucket", How::kOther}, "... .. .. ...... ... ..B"},
};

// Without the blanks: a letter for each column, or the table is incomplete.
std::string Letters(const Row& row) {
  std::string letters(row.wants);
  std::erase(letters, ' ');
  EXPECT_EQ(letters.size(), static_cast<std::size_t>(Column::kCount)) << row.wants;
  letters.resize(static_cast<std::size_t>(Column::kCount), '?');
  return letters;
}

char WantOf(const Row& row, Column column) {
  const char want = Letters(row)[static_cast<std::size_t>(column)];
  return want == '.' ? Letters(kTruth)[static_cast<std::size_t>(column)] : want;
}

std::string NameOf(const Lie& lie) {
  static constexpr const char* kWhere[] = {"nowhere", "media", "resumed", "resource", "xml"};
  static constexpr const char* kHow[] = {"missing", "twice", "contradicted", "malformed", "other", "smaller"};
  return std::string(kWhere[static_cast<int>(lie.where)]) + " " + std::string(lie.what) + " " +
         kHow[static_cast<int>(lie.how)];
}

Client ClientOf(const LyingService& service, bool require_checksum = false,
                std::shared_ptr<EventListener> listener = nullptr) {
  constexpr std::chrono::milliseconds kShort{1};
  return *Client::Create(
      {.endpoint = service.endpoint(),
       .retry = RetryPolicies::All({.initial_delay = kShort, .max_delay = kShort, .max_attempts = 5}),
       .hedge_budget = 0,
       .require_checksum = require_checksum,
       .event_listener = std::move(listener)});
}

class LiesTest : public ::testing::TestWithParam<Path> {
 protected:
  void Try(const Row& row, bool require_checksum) {
    const Path& path = GetParam();
    SCOPED_TRACE(path.name + ": " + NameOf(row.lie) + (require_checksum ? ", a checksum is required" : ""));
    const LyingService service(Content(), row.lie);
    const auto heard = std::make_shared<RecordedEvents>();
    const Client client = ClientOf(service, require_checksum, heard);
    const Outcome outcome = path.run(client, service);
    Compare(outcome, WantOf(row, path.column), require_checksum);
    if (path.is_command) return;
    EXPECT_EQ(client.counters().unverified_reads, WantOf(row, path.column) == 'U' ? 1U : 0U);
    EXPECT_EQ(heard->unverified.size(), WantOf(row, path.column) == 'U' ? 1U : 0U);
    EXPECT_EQ(service.Count("DELETE /storage/v1/b/bkt/o/o?"), WantOf(row, path.column) == 'D' ? 1U : 0U);
    EXPECT_EQ(service.Count("DELETE /storage/v1/b/bkt/o/o?generation=7"), WantOf(row, path.column) == 'D' ? 1U : 0U);
  }

  static void Compare(const Outcome& outcome, char want, bool require_checksum) {
    const bool is_refused = want == 'U' && require_checksum;
    if (!is_refused && (want == 'V' || want == 'U' || want == 'O')) {
      ASSERT_TRUE(outcome.result.ok()) << outcome.result.error().message;
      if (outcome.is_verified) {
        EXPECT_EQ(*outcome.is_verified, want == 'V');
      }
      return;
    }
    ASSERT_FALSE(outcome.result.ok()) << "wanted " << want;
    if (GetParam().is_command) {
      EXPECT_NE(outcome.result.error().code, ErrorCode::kLocalIo) << outcome.result.error().message;
      return;
    }
    const ErrorCode wanted = is_refused    ? ErrorCode::kUnverified
                             : want == 'B' ? ErrorCode::kBadResponse
                                           : ErrorCode::kCorrupted;
    EXPECT_EQ(outcome.result.error().code, wanted) << outcome.result.error().message;
  }
};

TEST_P(LiesTest, AcceptTrueAnswers) { Try(kTruth, false); }

TEST_P(LiesTest, AcceptNoFalseAnswer) {
  for (const Row& row : kRows) Try(row, false);
}

TEST_P(LiesTest, AcceptNoUnverifiedBytesIfAChecksumIsRequired) {
  if (GetParam().is_command) return Try(kTruth, true);
  Try(kTruth, true);
  for (const Row& row : kRows) Try(row, true);
}

std::string NameOfPath(const ::testing::TestParamInfo<Path>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Reads, LiesTest, ::testing::ValuesIn(ReadPaths()), NameOfPath);
INSTANTIATE_TEST_SUITE_P(Writes, LiesTest, ::testing::ValuesIn(WritePaths()), NameOfPath);
INSTANTIATE_TEST_SUITE_P(Commands, LiesTest, ::testing::ValuesIn(CommandPaths()), NameOfPath);

TEST(UnverifiedReads, AreCountedAndReportedOncePerBucket) {
  const LyingService service(Content(), {Where::kMedia, "hash", How::kMissing});
  const auto heard = std::make_shared<RecordedEvents>();
  const Client client = ClientOf(service, false, heard);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.ReadObject(kObject).ok());
  EXPECT_EQ(client.counters().unverified_reads, 3U);
  ASSERT_EQ(heard->unverified.size(), 1U);
  EXPECT_EQ(heard->unverified.front().bucket, "bkt");
  EXPECT_EQ(heard->unverified.front().subject, "gs://bkt/o");
}

TEST(UnverifiedReads, DeliverNothingIfAChecksumIsRequired) {
  const LyingService service(Content(), {Where::kMedia, "hash", How::kMissing});
  const Client client = ClientOf(service, /*require_checksum=*/true);
  std::size_t delivered = 0;
  const ByteSink sink = [&](std::span<const std::byte> data) -> Result<void> {
    delivered += data.size();
    return {};
  };
  EXPECT_TRUE(testing::FailsWith(client.ReadObject(kObject, sink), ErrorCode::kUnverified));
  EXPECT_EQ(delivered, 0U);
  EXPECT_EQ(service.requests().size(), 1U) << "a second look shows nothing else";
}

// A lying second request is dropped, and the first one continues. If that stalls to the end, the next attempt meets the
// lie.
TEST(HedgedRead, AcceptNoFalseAnswer) {
  for (const Row& row : kRows) {
    const bool is_tried = row.lie.how == How::kOther || row.lie.how == How::kTwice;
    if (row.lie.where != Where::kResumed || !is_tried) continue;
    SCOPED_TRACE(NameOf(row.lie));
    LyingService service(Content(), row.lie);
    service.BreakNoRead();
    const Client client =
        *Client::Create({.endpoint = service.endpoint(), .hedge_budget = 1, .stall_timeout = std::chrono::seconds(1)});
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(client.ReadObject(kObject).ok());
    const Counters before = client.counters();
    service.StallNextRead();
    const auto read = client.ReadObject(kObject);
    EXPECT_GE(client.counters().hedges, before.hedges + 1);
    if (WantOf(row, Column::kWhole) == 'V') {
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(*read, Content());
      continue;
    }
    EXPECT_TRUE(testing::FailsWith(read, ErrorCode::kBadResponse));
  }
}

// Each lie is used on at least one path.
TEST(LyingService, UsesEachLie) {
  std::vector<Path> paths = ReadPaths();
  for (auto& path : WritePaths()) paths.push_back(std::move(path));
  for (const Row& row : kRows) {
    if (row.lie.what == "nothing") continue;
    const bool is_told = std::any_of(paths.begin(), paths.end(), [&](const Path& path) {
      const LyingService service(Content(), row.lie);
      static_cast<void>(path.run(ClientOf(service), service));
      return service.lies() > 0;
    });
    EXPECT_TRUE(is_told) << NameOf(row.lie);
  }
}

}  // namespace
}  // namespace gcsflux::testing
