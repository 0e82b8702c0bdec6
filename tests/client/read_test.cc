// Client::ReadObject under failures: the delivered bytes are of one generation, whole and verified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "gcsflux/client.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const Error kReset{ErrorCode::kUnavailable, "reset"};
using testing::kObject;

class ReadTest : public ::testing::Test {
 protected:
  ReadTest() { gcs_.Put("o", "0123456789"); }

  // The header or nothing, of request number `index`.
  std::string Range(std::size_t index) {
    for (const auto& [name, value] : gcs_.requests.at(index).headers) {
      if (name == "Range") return std::string(value);
    }
    return "";
  }

  testing::FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_);
};

TEST_F(ReadTest, DeliversIntoTheCallersMemory) {
  std::string buffer(10, ' ');
  const auto read = client_.ReadObject(kObject, std::as_writable_bytes(std::span(buffer)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(buffer, "0123456789");
  EXPECT_EQ(read->bytes, 10U);
  EXPECT_EQ(read->object_size, 10U);
  EXPECT_EQ(read->generation, gcs_.objects["o"].generation);
}

TEST_F(ReadTest, RefusesTooSmallABuffer) {
  std::string buffer(9, ' ');
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject, std::as_writable_bytes(std::span(buffer))),
                                 ErrorCode::kInvalidArgument));
  EXPECT_EQ(buffer, std::string(9, ' '));
}

TEST_F(ReadTest, ClampsARangeAtTheEndAndRefusesOneAfterIt) {
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.range = ByteRange{8, 100}})), "89");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.range = ByteRange{3, 4}})), "3456");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject, {.range = ByteRange{3, std::nullopt}})), "3456789");
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(kObject, {.range = ByteRange{10, 1}})).code, ErrorCode::kOutOfRange);
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(kObject, {.range = ByteRange{0, 0}})).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(kObject, {.range = ByteRange{2, ~std::uint64_t{0}}})).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(ReadTest, ReadsAnEmptyObject) {
  gcs_.Put("empty", "");
  EXPECT_EQ(testing::ValueOf(client_.ReadObject({"bkt", "empty"})), "");
}

TEST_F(ReadTest, ResumesAfterTheLastByteOfTheSameGeneration) {
  gcs_.faults = {{.cut_at = 4}, {.before = kReset}, {.cut_at = 3}};
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kObject)), "0123456789");
  ASSERT_EQ(gcs_.requests.size(), 4U);
  EXPECT_EQ(Range(0), "");
  EXPECT_EQ(Range(1), "bytes=4-");
  EXPECT_EQ(Range(3), "bytes=7-");
  EXPECT_THAT(gcs_.requests[3].url, HasSubstr("generation=" + std::to_string(gcs_.objects["o"].generation)));
}

TEST_F(ReadTest, ExtendsItsDeadlineWhileItProgresses) {
  const RetryOptions retry{.initial_delay = milliseconds(100), .jitter = 0, .deadline = milliseconds(150)};
  const Client client = testing::MakeClient(gcs_, retry);
  gcs_.faults.assign(9, {.cut_at = 1});  // Each answer has one byte: nine waits of 100 ms.
  const auto read = client.ReadObject(kObject);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, "0123456789");
  EXPECT_EQ(gcs_.requests.size(), 10U);
}

TEST_F(ReadTest, FailsAtItsDeadlineWithoutProgress) {
  const RetryOptions retry{.initial_delay = milliseconds(100), .jitter = 0, .deadline = milliseconds(150)};
  const Client client = testing::MakeClient(gcs_, retry);
  gcs_.faults = {{.cut_at = 1}, {.cut_at = 0}, {.cut_at = 0}};
  const auto read = client.ReadObject(kObject);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("after 2 attempts in 0.1 s (deadline 0.1 s"));
}

TEST_F(ReadTest, FailsIfTheObjectChangesMeanwhile) {
  gcs_.faults = {{.cut_at = 4}};
  bool is_first = true;
  std::string got;
  const ByteSink sink = [&](std::span<const std::byte> data) -> Result<void> {
    got.append(reinterpret_cast<const char*>(data.data()), data.size());
    if (std::exchange(is_first, false)) gcs_.objects["o"] = {.generation = 9999, .bytes = "abcdefghij"};
    return {};
  };
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject, sink), ErrorCode::kAborted));
  EXPECT_EQ(got, "0123");
}

TEST_F(ReadTest, ReportsCorruptedBytes) {
  gcs_.faults = {{.flip_at = 5}, {.flip_at = 5}};
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kObject), ErrorCode::kCorrupted, HasSubstr("gs://bkt/o")));
}

// Sends one byte more than its headers announce.
class OneByteMore : public testing::FakeGcs {
 public:
  Result<internal::HttpResponse> Perform(const internal::HttpRequest& request, internal::BodyReceiver* receiver,
                                         const std::stop_token& stop) override {
    auto response = FakeGcs::Perform(request, receiver, stop);
    if (!response || receiver == nullptr) return response;
    if (auto taken = receiver->OnBody(AsBytes("x")); !taken) return taken.error();
    return response;
  }
};

TEST(ReadOfALongerAnswer, FailsAlthoughAllRequestedBytesArrived) {
  OneByteMore gcs;
  gcs.Put("o", "0123456789");
  const auto read = testing::MakeClient(gcs).ReadObject(kObject);
  EXPECT_EQ(testing::ErrorOf(read).code, ErrorCode::kBadResponse);
  EXPECT_EQ(gcs.requests.size(), 1U);
}

TEST_F(ReadTest, ReturnsTheSinksError) {
  int calls = 0;
  const ByteSink sink = [&](std::span<const std::byte>) -> Result<void> {
    ++calls;
    return Error{ErrorCode::kUnavailable, "disk full"};  // Even a code that would be retried.
  };
  const auto read = client_.ReadObject(kObject, sink);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "disk full");
  EXPECT_EQ(calls, 1);
}

TEST_F(ReadTest, NamesOperationObjectAndRemedyInErrors) {
  const auto read = client_.ReadObject({"bkt", "none"}, {.range = ByteRange{0, 4096}});
  ASSERT_TRUE(testing::FailsWith(read, ErrorCode::kNotFound));
  EXPECT_EQ(read.error().message,
            "objects.get gs://bkt/none [0, 4096): 404 fake: fake 404; check the name (gcsflux ls lists what is there)");
}

TEST_F(ReadTest, CountsItsAttemptsUnderOneInvocation) {
  gcs_.faults = {{.status = 503}, {.status = 429}};
  ASSERT_TRUE(client_.ReadObject(kObject).ok());
  ASSERT_EQ(gcs_.requests.size(), 3U);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string tag(internal::FindHeader(gcs_.requests[i].headers, "x-goog-api-client"));
    EXPECT_THAT(tag, HasSubstr("gccl-attempt-count/" + std::to_string(i + 1)));
    ids.push_back(tag.substr(tag.find("gccl-invocation-id/") + 19, 36));
    EXPECT_EQ(internal::FindHeader(gcs_.requests[i].headers, "x-goog-gcs-idempotency-token"), "");
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[1], ids[2]);
}

TEST_F(ReadTest, FailsIfTheSinkThrowsOrIsNull) {
  gcs_.Put("o", "bytes");
  const ByteSink throwing = [](std::span<const std::byte>) -> Result<void> { throw std::runtime_error("no room"); };
  const auto thrown = client_.ReadObject(kObject, throwing);
  ASSERT_TRUE(testing::FailsWith(thrown, ErrorCode::kLocalIo));
  EXPECT_EQ(thrown.error().message, "the caller's sink threw: no room");
  EXPECT_EQ(gcs_.requests.size(), 1U);  // It is not repeated.
  EXPECT_EQ(testing::ErrorOf(client_.ReadObject(kObject, ByteSink())).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(gcs_.requests.size(), 1U);
}

}  // namespace
}  // namespace gcsflux
