// A service that lists names outside the prefix: none of them is delivered, split or deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "support/circular_service.h"
#include "support/result.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {
namespace {

using ::testing::HasSubstr;

// Old, and made by a compose.
std::string Item(const std::string& name) {
  return R"({"bucket":"bkt","name":")" + name +
         R"(","generation":"1","size":"1","componentCount":2,"timeCreated":"2020-01-01T00:00:00Z"})";
}

std::string Page(const std::string& name) { return R"({"items":[)" + Item(name) + "]}"; }

constexpr const char* kUploads =
    "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated><Upload><Key>another</Key><UploadId>u</UploadId>"
    "<Initiated>2020-01-01T00:00:00Z</Initiated></Upload></ListMultipartUploadsResult>";

constexpr const char* kNoUploads =
    "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>";

// Ignores every prefix.
class ServiceWithoutPrefixes {
 public:
  explicit ServiceWithoutPrefixes(std::string page) : page_(std::move(page)) {}
  // Knows only the prefix with this word.
  ServiceWithoutPrefixes(std::string page, std::string word) : page_(std::move(page)), word_(std::move(word)) {}

  [[nodiscard]] Client client() const { return *Client::Create({.endpoint = server_.endpoint(), .project = "p"}); }
  [[nodiscard]] std::vector<std::string> changes() const {
    const std::scoped_lock lock(mutex_);
    return changes_;
  }

 private:
  void Serve(RawServer::Connection& connection) {
    for (std::string head; !(head = connection.ReadHead()).empty();) {
      ReadBody(connection, head);
      const std::string line = head.substr(0, head.find('\r'));
      if (!line.starts_with("GET ")) {
        const std::scoped_lock lock(mutex_);
        changes_.push_back(line);
      }
      connection.Send(OkAnswer(AnswerTo(line)));
    }
  }

  [[nodiscard]] std::string AnswerTo(const std::string& line) const {
    if (line.find("/bkt?uploads") != std::string::npos) return word_.empty() ? kUploads : kNoUploads;
    return line.find(word_) != std::string::npos ? page_ : "{}";
  }

  const std::string page_;
  const std::string word_;
  mutable std::mutex mutex_;
  std::vector<std::string> changes_;  // Guarded by mutex_.
  RawServer server_{[this](RawServer::Connection& connection) { Serve(connection); }};
};

struct Listing {
  const char* name;
  Result<void> (*run)(const Client&);
};

const Listing kListings[] = {
    {"one page",
     [](const Client& c) {
       return WithoutValue(c.ListObjects({"bkt", "long/prefix/"}));
     }},
    {"buckets", [](const Client& c) { return WithoutValue(c.ListBuckets({.prefix = "long/prefix/"})); }},
    {"all pages",
     [](const Client& c) {
       return WithoutValue(ListPrefix(c, {"bkt", "long/prefix/"}));
     }},
    {"in parallel",
     [](const Client& c) {
       return WithoutValue(ListInParallel(c, {"bkt", "long/prefix/"}));
     }},
    {"uploads",
     [](const Client& c) {
       return WithoutValue(ListMultipartUploads(c, {"bkt", "long/prefix/"}));
     }},
    {"the steps of a run",
     [](const Client& c) { return WithoutValue(CheckpointSteps::Open(c, "gs://bkt/long/prefix/")->List()); }},
    {"the latest step",
     [](const Client& c) { return WithoutValue(CheckpointSteps::Open(c, "gs://bkt/long/prefix/")->Latest()); }},
};

TEST(UnrequestedNames, EndEveryListing) {
  for (const std::string name : {"z", "a", "long/prefiy/step-00000001.json", "long/prefix"}) {
    for (const Listing& listing : kListings) {
      const ServiceWithoutPrefixes service(Page(name));
      const auto listed = listing.run(service.client());
      ASSERT_FALSE(listed.ok()) << listing.name << ", " << name;
      EXPECT_EQ(listed.error().code, ErrorCode::kBadResponse) << listing.name << ": " << listed.error().message;
      EXPECT_THAT(listed.error().message, HasSubstr("is not under 'long/prefix/'")) << listing.name;
    }
  }
}

TEST(UnrequestedNames, AreNotDeletedByACleanup) {
  const ServiceWithoutPrefixes service(Page("data/of/another"));
  const auto cleaned = CleanComposites(service.client(), "bkt");
  EXPECT_EQ(ErrorOf(cleaned).code, ErrorCode::kBadResponse);
  EXPECT_TRUE(service.changes().empty()) << service.changes().front();
}

TEST(UnrequestedNames, AreNotAbortedByACleanup) {
  const ServiceWithoutPrefixes service("{}");
  const auto cleaned = CleanComposites(service.client(), "bkt");
  EXPECT_EQ(ErrorOf(cleaned).code, ErrorCode::kBadResponse);
  EXPECT_TRUE(service.changes().empty()) << service.changes().front();
}

TEST(UnrequestedNames, IncludeNamesOutsideTheOffsets) {
  const ServiceWithoutPrefixes service(Page("p/m"));
  const Client client = service.client();
  EXPECT_TRUE(client.ListObjects({"bkt", "p/"}, {.start_offset = "p/m", .end_offset = "p/n"}).ok());
  EXPECT_EQ(ErrorOf(client.ListObjects({"bkt"}, {.start_offset = "p/m!"})).code, ErrorCode::kBadResponse);
  EXPECT_EQ(ErrorOf(client.ListObjects({"bkt"}, {.end_offset = "p/m"})).code, ErrorCode::kBadResponse);
}

TEST(ObjectsOfAnotherBucket, EndAListing) {
  const auto listed = [](const std::string& member) {
    const ServiceWithoutPrefixes service(R"({"items":[{)" + member + R"("name":"a","generation":"1","size":"1"}]})");
    return ListPrefix(service.client(), {"bkt"});
  };
  EXPECT_EQ(ErrorOf(listed(R"("bucket":"other",)")).code, ErrorCode::kBadResponse);
  EXPECT_EQ(listed(R"("bucket":"bkt",)")->objects.front().bucket, "bkt");
  EXPECT_EQ(listed("")->objects.front().bucket, "bkt");
}

TEST(UnrequestedPrefixes, EndAListingOfOneLevel) {
  const ServiceWithoutPrefixes service(R"({"prefixes":["a/"]})");
  const auto listed = ListPrefix(service.client(), {"bkt", "long/prefix/"}, {.delimiter = "/"});
  EXPECT_EQ(ErrorOf(listed).code, ErrorCode::kBadResponse);
}

// Their times are missing, so they may be new.
TEST(ObjectsWithoutATime, AreNotDeletedByACleanup) {
  const ServiceWithoutPrefixes service(
      R"({"items":[{"name":"dataflux-composed-objects/run/c","generation":"1","size":"1","componentCount":2}]})",
      "dataflux");
  const CleanReport report = ValueOf(CleanComposites(service.client(), "bkt"));
  EXPECT_EQ(report.kept, 1U);
  EXPECT_TRUE(service.changes().empty()) << service.changes().front();
}

TEST(ObjectsWithoutATime, AreNotRemovedFromARun) {
  const ServiceWithoutPrefixes service(
      R"({"items":[{"name":"runs/7/step-00000001/0123456789abcdef0123456789abcdef-a","generation":"1","size":"1"},)"
      R"({"name":"runs/7/step-00000001/0123456789abcdef0123456789abcdef-b","generation":"1","size":"1","updated":"2026-01-01T00:00:00Z"}]})");
  const RemovalReport report = ValueOf(CheckpointSteps::Open(service.client(), "gs://bkt/runs/7")->CollectGarbage());
  EXPECT_EQ(report.young, 2U);
  EXPECT_TRUE(service.changes().empty()) << service.changes().front();
}

}  // namespace
}  // namespace gcsflux::testing
