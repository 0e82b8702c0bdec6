// Which requests rules are for. Pure.

#include "faults/engine/rule_match.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

const RequestSubject kSubject{
    .operation = "storage.objects.insert", .phase = "chunk", .bucket = "bucket", .object = "train/cat.jpg"};

MatchedRequest SecondChunk() {
  return {.subject = kSubject, .method = "PUT", .attempt = 2, .covered = CoveredBytes{100, 200}};
}

TEST(RuleMatch, MatchesIfEveryFieldMatches) {
  struct Case {
    const char* name;
    FaultMatch match;
    bool want;
  };
  const std::vector<Case> cases = {
      {"everything", {}, true},
      {"operation", {.operation = "storage.objects.insert"}, true},
      {"another operation", {.operation = "storage.objects.get"}, false},
      {"phase", {.phase = "chunk"}, true},
      {"another phase", {.phase = "final"}, false},
      {"method", {.method = "PUT"}, true},
      {"another method", {.method = "POST"}, false},
      {"bucket", {.bucket = "bucket"}, true},
      {"another bucket", {.bucket = "bucke"}, false},
      {"prefix", {.object_prefix = "train/"}, true},
      {"the empty prefix", {.object_prefix = ""}, true},
      {"another prefix", {.object_prefix = "test/"}, false},
      {"glob", {.object_glob = "**.jpg"}, true},
      {"a glob that takes no slash", {.object_glob = "*.jpg"}, false},
      {"prefix and glob", {.object_prefix = "train/", .object_glob = "**.png"}, false},
      {"attempt", {.attempt = 2}, true},
      {"another attempt", {.attempt = 1}, false},
      {"a byte before", {.covers_byte = 99}, false},
      {"the first byte", {.covers_byte = 100}, true},
      {"the last byte", {.covers_byte = 199}, true},
      {"a byte behind", {.covers_byte = 200}, false},
      {"all of it", {.operation = "storage.objects.insert", .phase = "chunk", .bucket = "bucket", .attempt = 2}, true},
      {"all but one",
       {.operation = "storage.objects.insert", .phase = "chunk", .bucket = "bucket", .attempt = 3},
       false},
  };
  for (const Case& test : cases) EXPECT_EQ(RuleMatch(test.match).Concerns(SecondChunk()), test.want) << test.name;
}

TEST(RuleMatch, MatchesNoObjectInARequestWithoutOne) {
  const RequestSubject bucket{.operation = "storage.buckets.get", .bucket = "bucket"};
  const MatchedRequest request{.subject = bucket, .method = "GET"};
  EXPECT_TRUE(RuleMatch({}).Concerns(request));
  EXPECT_FALSE(RuleMatch({.object_prefix = ""}).Concerns(request));
  EXPECT_FALSE(RuleMatch({.object_glob = "**"}).Concerns(request));
  EXPECT_FALSE(RuleMatch({.covers_byte = 0}).Concerns(request));
}

TEST(RuleMatch, MatchesByNumber) {
  const auto chosen = [](const FaultMatch& match) {
    std::string numbers;
    for (std::uint64_t number = 1; number <= 9; ++number) {
      if (RuleMatch(match).Chooses(number, 0)) numbers += std::to_string(number);
    }
    return numbers;
  };
  EXPECT_EQ(chosen({}), "123456789");
  EXPECT_EQ(chosen({.nth = 1}), "1");
  EXPECT_EQ(chosen({.nth = 9}), "9");
  EXPECT_EQ(chosen({.every = 1}), "123456789");
  EXPECT_EQ(chosen({.every = 3}), "369");
  EXPECT_EQ(chosen({.nth = 6, .every = 3}), "6");
  EXPECT_EQ(chosen({.nth = 5, .every = 3}), "");
}

TEST(RuleMatch, MatchesByProbability) {
  struct Case {
    double probability;
    double chance;
    bool want;
  };
  const Case cases[] = {{0, 0, false},   {1, 0, true},        {1, 0x1.fffffffffffffp-1, true},
                        {0.25, 0, true}, {0.25, 0.249, true}, {0.25, 0.25, false}};
  for (const Case& test : cases) {
    EXPECT_EQ(RuleMatch({.probability = test.probability}).Chooses(1, test.chance), test.want)
        << test.chance << " of " << test.probability;
  }
}

struct RangeCase {
  const char* phase;
  std::string name;
  std::string value;
  std::uint64_t media_offset;
  std::uint64_t first;
  std::uint64_t end;
};

TEST(CoveredBy, ReadsTheRangeHeaders) {
  const RangeCase cases[] = {
      {"read", "X-Nothing", "", 0, 0, UINT64_MAX},
      {"read", "Range", "bytes=100-199", 0, 100, 200},
      {"read", "Range", "bytes=100-", 0, 100, INT64_MAX},
      {"read", "Range", "bytes=-10", 0, INT64_MAX - 10, INT64_MAX},  // of a size that is not known: of no byte in use
      {"read", "Range", "bytes=x", 0, 0, UINT64_MAX},
      {"chunk", "Content-Range", "bytes 100-199/*", 0, 100, 200},
      {"final", "Content-Range", "bytes 100-*/300", 0, 100, 300},
      {"final", "Content-Range", "bytes 100-*/*", 0, 100, UINT64_MAX},
      {"final", "Content-Length", "50", 0, 0, 50},
      {"part", "Content-Length", "50", 0, 0, 50},
      {"", "Content-Length", "50", 0, 0, 50},
      {"", "Content-Length", "50", 20, 0, 30},
      {"", "Content-Length", "50", 60, 0, 0},
      {"", "Transfer-Encoding", "chunked", 0, 0, UINT64_MAX},
  };
  for (const RangeCase& test : cases) {
    SCOPED_TRACE(std::string(test.phase) + " " + test.name + ": " + test.value);
    HttpRequest request;
    request.headers.Add(test.name, test.value);
    RequestPreview preview{.media_offset = test.media_offset};
    preview.is_media_read = std::string_view(test.phase) == "read";
    preview.subject.operation = preview.is_media_read ? "storage.objects.get" : "storage.objects.insert";
    if (!preview.is_media_read) preview.subject.phase = test.phase;
    const std::optional<CoveredBytes> covered = CoveredBy(request, preview);
    ASSERT_TRUE(covered.has_value());
    EXPECT_EQ(covered->first, test.first);
    EXPECT_EQ(covered->end, test.end);
  }
}

TEST(CoveredBy, IsEmptyForRequestsWithoutBytes) {
  for (const char* phase : {"start", "status", "cancel"}) {
    const RequestPreview preview{.subject = {.operation = "storage.objects.insert", .phase = phase}};
    EXPECT_FALSE(CoveredBy({}, preview).has_value()) << phase;
  }
  EXPECT_FALSE(CoveredBy({}, RequestPreview{.subject = {.operation = "storage.objects.get"}}).has_value());
}

}  // namespace
}  // namespace gcsflux::emulator
