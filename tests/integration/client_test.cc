// The client against the embedded emulator: each operation as a user calls it.
#include "gcsflux/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/raw_server.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto bucket = client_.InsertBucket("bkt");
    ASSERT_TRUE(bucket.ok()) << bucket.error().message;
  }

  ObjectMetadata Put(const std::string& name, const std::string& content) {
    auto stored = UploadObject(client_, {"bkt", name}, AsBytes(content));
    EXPECT_TRUE(stored.ok()) << name;
    return stored ? *stored : ObjectMetadata{};
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "test"});
};

TEST_F(ClientTest, CreatesListsAndDeletesBuckets) {
  ASSERT_TRUE(client_.InsertBucket("other", {.location = "EUROPE-WEST4"}).ok());
  EXPECT_EQ(client_.GetBucket("other")->location, "EUROPE-WEST4");
  EXPECT_EQ(testing::ErrorOf(client_.InsertBucket("other")).code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(client_.ListBuckets()->size(), 2U);
  EXPECT_EQ(client_.ListBuckets({.prefix = "o"})->front().name, "other");
  ASSERT_TRUE(client_.DeleteBucket("other").ok());
  EXPECT_EQ(testing::ErrorOf(client_.GetBucket("other")).code, ErrorCode::kNotFound);
  Put("x", "y");
  const auto full = client_.DeleteBucket("bkt");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(ErrorCodeName(full.error().code), "BUCKET_NOT_EMPTY");
  EXPECT_NE(full.error().message.find("delete its objects first"), std::string::npos) << full.error().message;
}

TEST_F(ClientTest, WorksAfterAMove) {
  const Client moved = std::move(client_);
  EXPECT_TRUE(client_.GetBucket("bkt").ok());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(moved.GetBucket("bkt").ok());
}

TEST_F(ClientTest, StoresAndReadsAnyNameAndAnyBytes) {
  const std::string bytes = std::string("\0\r\n--gcsflux-part-\xFF", 19);
  for (const std::string& name :
       {std::string("a/b"), std::string("a b+c%2F?#&="), std::string("\xC3\xA9/\xF0\x9F\x98\x80"), std::string("/"),
        std::string("a//b/"), std::string(1024, 'n'), std::string("\"quoted\"\\"), std::string("...")}) {
    const auto stored = Put(name, bytes);
    EXPECT_EQ(stored.name, name);
    EXPECT_EQ(stored.size, bytes.size());
    const auto read = client_.ReadObject({"bkt", name});
    ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
    EXPECT_EQ(*read, bytes);
  }
}

TEST_F(ClientTest, StoresTypeAndMetadata) {
  ASSERT_TRUE(client_
                  .InsertObject({"bkt", "o"}, AsBytes("x"),
                                {.attributes = {.content_type = "text/plain", .metadata = {{"k", "v"}}}})
                  .ok());
  const auto object = client_.GetObject({"bkt", "o"}, {.with_md5_hash = true});
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->content_type, "text/plain");
  EXPECT_EQ(object->metadata.at("k"), "v");
  EXPECT_EQ(object->storage_class, "STANDARD");
  EXPECT_EQ(object->md5_hash, "ndTkYSaMgDT1yFZOFVxnpg==");
  EXPECT_GT(object->updated.time_since_epoch().count(), 0);
}

TEST_F(ClientTest, ReadsRanges) {
  Put("o", "0123456789");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "o"}, {.range = ByteRange{2, 3}})), "234");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "o"}, {.range = ByteRange{7, std::nullopt}})), "789");
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject({"bkt", "o"}, {.range = ByteRange{10, 1}})).code,
            ErrorCode::kOutOfRange);
  Put("empty", "");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "empty"})), "");
}

TEST_F(ClientTest, HonoursGenerationPreconditions) {
  const std::int64_t generation = Put("o", "old").generation;
  const ObjectName object{"bkt", "o"};
  EXPECT_EQ(
      testing::ErrorOf(client_.InsertObject(object, AsBytes("x"), {.preconditions = {.if_generation_match = 0}})).code,
      ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(object, {.preconditions = {.if_generation_match = 1}})).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(
      testing::ErrorOf(client_.ReadObject(object, {.preconditions = {.if_generation_not_match = generation}})).code,
      ErrorCode::kNotModified);
  EXPECT_EQ(
      testing::ErrorOf(client_.GetObject(object, {.preconditions = {.if_generation_not_match = generation}})).code,
      ErrorCode::kNotModified);
  EXPECT_EQ(testing::ErrorOf(client_.DeleteObject(object, {.preconditions = {.if_generation_match = 1}})).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(
      client_.InsertObject(object, AsBytes("new"), {.preconditions = {.if_generation_match = generation}}).ok());
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(object, {.generation = generation})).code, ErrorCode::kNotFound);
  EXPECT_TRUE(client_.DeleteObject(object).ok());
  EXPECT_EQ(testing::ErrorOf(client_.DeleteObject(object)).code, ErrorCode::kNotFound);
}

TEST_F(ClientTest, ListsPagesInBytewiseOrder) {
  for (const char* name : {"b", "a/2", "a/1", "a\xC3\xA9", "B", "a"}) Put(name, "x");
  const auto names = [](const std::vector<ObjectMetadata>& objects) {
    std::vector<std::string> all;
    for (const auto& object : objects) all.push_back(object.name);
    return all;
  };
  EXPECT_THAT(names(ListPrefix(client_, {"bkt"})->objects), ElementsAre("B", "a", "a/1", "a/2", "a\xC3\xA9", "b"));
  EXPECT_THAT(names(ListPrefix(client_, {"bkt", "a/"})->objects), ElementsAre("a/1", "a/2"));
  const auto level = ListPrefix(client_, {"bkt"}, {.delimiter = "/"});
  EXPECT_THAT(level->prefixes, ElementsAre("a/"));
  EXPECT_THAT(names(level->objects), ElementsAre("B", "a", "a\xC3\xA9", "b"));
  const auto page = client_.ListObjects({"bkt"}, {.start_offset = "a", .end_offset = "a\xC2\x80", .max_results = 2});
  EXPECT_THAT(names(page->objects), ElementsAre("a", "a/1"));
  const auto next = client_.ListObjects(
      {"bkt"}, {.start_offset = "a", .end_offset = "a\xC2\x80", .max_results = 2, .page_token = page->next_page_token});
  EXPECT_THAT(names(next->objects), ElementsAre("a/2"));
  EXPECT_EQ(next->next_page_token, "");
  EXPECT_THAT(names(ListPrefix(client_, {"bkt"}, {.match_glob = "a{,/*}"})->objects), ElementsAre("a", "a/1", "a/2"));
  EXPECT_THAT(names(ListPrefix(client_, {"bkt", "a/"}, {.match_glob = "**2"})->objects), ElementsAre("a/2"));
  const auto versions = ListPrefix(client_, {"bkt"}, {.match_glob = "a*", .versions = true});
  EXPECT_THAT(names(versions->objects), ElementsAre("a", "a\xC3\xA9"));
  EXPECT_TRUE(ListPrefix(client_, {"bkt", "none"})->objects.empty());
  EXPECT_EQ(testing::ErrorOf(ListPrefix(client_, {"missing"})).code, ErrorCode::kNotFound);
}

TEST_F(ClientTest, ListsMoreThanAPage) {
  for (int i = 0; i < 25; ++i) Put("n" + std::to_string(100 + i), "x");
  std::vector<std::string> seen;
  ListOptions options{.max_results = 10};
  int pages = 0;
  do {
    const auto page = client_.ListObjects({"bkt"}, options);
    ASSERT_TRUE(page.ok());
    for (const auto& object : page->objects) seen.push_back(object.name);
    options.page_token = page->next_page_token;
    ++pages;
  } while (!options.page_token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen.size(), 25U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(ClientTest, ComposesPinnedSources) {
  const std::int64_t first = Put("1", "Hello, ").generation;
  Put("2", "world");
  const auto composed =
      client_.ComposeObjects({{"1", first}, {"2"}}, {"bkt", "12"}, {.preconditions = {.if_generation_match = 0}});
  ASSERT_TRUE(composed.ok()) << composed.error().message;
  EXPECT_EQ(composed->size, 12U);
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "12"})), "Hello, world");
  Put("1", "changed");
  EXPECT_FALSE(client_.ComposeObjects({{"1", first}}, {"bkt", "x"}).ok());
  EXPECT_EQ(testing::ErrorOf(client_.ComposeObjects({}, {"bkt", "x"})).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(client_.ComposeObjects(std::vector<ComposeSource>(33, {"2"}), {"bkt", "x"})).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ClientTest, StreamsOverManyChunks) {
  std::string content(3'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 2654435761U >> 13);
  ObjectWriter writer(client_, {"bkt", "large"}, {.chunk_bytes = 1 << 20, .path = WritePath::kOneStream});
  for (std::size_t at = 0; at < content.size(); at += 123'457) {
    ASSERT_TRUE(writer.Write(AsBytes(std::string_view(content).substr(at, 123'457))).ok());
  }
  EXPECT_EQ(testing::ErrorOf(client_.GetObject({"bkt", "large"})).code, ErrorCode::kNotFound);  // Not before Close().
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(testing::ValueOf(client_.ReadObject({"bkt", "large"})) == content);
}

TEST_F(ClientTest, DownloadsABatchInOrder) {
  std::vector<ObjectMetadata> objects;
  for (int i = 0; i < 50; ++i)
    objects.push_back(
        Put("o" + std::to_string(i), std::string(static_cast<std::size_t>(i) * 997, static_cast<char>(i))));
  std::reverse(objects.begin(), objects.end());
  const Downloader downloader(client_, {.max_concurrency = 8});
  const auto batch = downloader.Download(DownloadSources(objects));
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  ASSERT_EQ(batch->size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto want = static_cast<std::byte>(49 - i);
    EXPECT_EQ((*batch)[i].bytes.size(), (49 - i) * 997);
    EXPECT_TRUE(std::all_of((*batch)[i].bytes.begin(), (*batch)[i].bytes.end(), [&](std::byte b) { return b == want; }))
        << i;
  }
  EXPECT_EQ(downloader.Download({})->size(), 0U);
}

TEST_F(ClientTest, NamesTheFailedObjectOfABatch) {
  std::vector<ObjectMetadata> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(Put("o" + std::to_string(i), "x"));
  ASSERT_TRUE(client_.DeleteObject({"bkt", "o7"}).ok());
  const Downloader downloader(client_);
  EXPECT_TRUE(testing::FailsWith(downloader.Download(DownloadSources(objects)), ErrorCode::kNotFound,
                                 HasSubstr("gs://bkt/o7")));
  Put("o7", "other");  // Overwritten since it was listed.
  EXPECT_EQ(testing::ErrorOf(downloader.Download(DownloadSources(objects))).code, ErrorCode::kNotFound);
}

TEST_F(ClientTest, AppliesCallOptionsToListingsAndBatches) {
  Put("o", "x");
  const CallOptions call{.user_project = "payer"};
  const auto listing = ListPrefix(client_, {"bkt", ""}, {.fields = "size", .call = call});
  ASSERT_TRUE(listing.ok()) << listing.error().message;
  EXPECT_EQ(listing->objects.front().size, 1U);
  EXPECT_TRUE(listing->objects.front().content_type.empty()) << "only requested names";
  EXPECT_THAT(emulator_.journal().back().target, HasSubstr("userProject=payer"));
  ASSERT_TRUE(Downloader(client_, {.call = call}).Download(DownloadSources(listing->objects)).ok());
  EXPECT_THAT(emulator_.journal().back().target, HasSubstr("userProject=payer"));
}

TEST_F(ClientTest, RefusesABatchLargerThanTheMemory) {
  std::vector<ObjectMetadata> objects(2, Put("o", "x"));
  for (ObjectMetadata& object : objects) object.size = std::uint64_t{1} << 63;  // Their sum overflows.
  const auto refused = Downloader(client_).Download(DownloadSources(objects));
  EXPECT_TRUE(
      testing::FailsWith(refused, ErrorCode::kInvalidArgument, HasSubstr("no memory for a batch of 2 objects")));
}

TEST_F(ClientTest, IsUsableFromManyThreads) {
  Put("o", std::string(100'000, 'x'));
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        const ObjectName own{"bkt", "own" + std::to_string(t)};
        for (int i = 0; i < 10; ++i) {
          failures += client_.ReadObject({"bkt", "o"})->size() != 100'000;
          failures += !UploadObject(client_, own, AsBytes("y")).ok();
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
}

// Answers that no emulator gives by itself: forbidden, corrupted, or not from Cloud Storage at all.
TEST(ClientErrors, HaveACodeAndNameOperationObjectAndRemedy) {
  struct Case {
    std::string answer;
    ErrorCode code;
    std::string remedy;
  };
  const std::string media =
      "HTTP/1.1 200 OK\r\nX-Goog-Generation: 1\r\nConnection: close\r\nX-Goog-Hash: crc32c=4waSgw==\r\n";
  const Case cases[] = {
      {"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", ErrorCode::kPermissionDenied,
       "role"},
      {"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", ErrorCode::kUnauthenticated,
       "token"},
      {"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", ErrorCode::kUnavailable, "health"},
      {"HTTP/1.1 429 Slow\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", ErrorCode::kRateLimited, "fewer"},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n<html>", ErrorCode::kBadResponse, "endpoint"},
      {media + "Content-Length: 9\r\n\r\n12345678x", ErrorCode::kCorrupted, "do not use"},
      {media + "Content-Length: 9\r\n\r\n1234", ErrorCode::kTruncated, "short"},
  };
  for (const auto& [answer, code, remedy] : cases) {
    const testing::RawServer server([&answer = answer](testing::RawServer::Connection& c) {
      c.ReadHead();
      c.Send(answer);
    });
    const auto client =
        Client::Create({.endpoint = server.endpoint(), .retry = RetryPolicies::All({.max_attempts = 1})});
    const auto read = client->ReadObject({"bkt", "o"});
    ASSERT_FALSE(read.ok()) << answer;
    EXPECT_EQ(ErrorCodeName(read.error().code), ErrorCodeName(code)) << read.error().message;
    EXPECT_THAT(read.error().message, HasSubstr("objects.get gs://bkt/o: "));
    EXPECT_THAT(read.error().message, HasSubstr(remedy));
  }
}

TEST(ClientErrors, ReportARefusedConnectionAfterRetries) {
  const auto client =
      Client::Create({.endpoint = testing::RefusingEndpoint(),
                      .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 3})});
  const auto read = client->ReadObject({"bkt", "o"});
  ASSERT_TRUE(testing::FailsWith(read, ErrorCode::kUnreachable, HasSubstr("connection refused after 3 attempts")));
  EXPECT_THAT(read.error().message, HasSubstr("--endpoint"));
}

TEST(ClientErrors, HideTheToken) {
  std::string head;
  const testing::RawServer server([&](testing::RawServer::Connection& c) {
    head = c.ReadHead();
    c.Send("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const auto client =
      Client::Create({.endpoint = server.endpoint(), .credentials = Credentials::AccessToken("s3cret")});
  const auto read = client->ReadObject({"bkt", "o"});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(head, HasSubstr("Authorization: Bearer s3cret\r\n"));
  EXPECT_THAT(read.error().message, ::testing::Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace gcsflux
