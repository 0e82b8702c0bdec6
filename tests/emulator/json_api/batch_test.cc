// Batches: each call is served as if it had arrived alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/interruption.h"
#include "emulator/support/raw_connection.h"
#include "emulator/support/text_body.h"
#include "gcsflux/emulator/gtest.h"
#include "json_api/batch_endpoint.h"

namespace gcsflux::emulator {
namespace {

using ::testing::HasSubstr;

constexpr auto kType = "Content-Type: multipart/mixed; boundary=b\r\n";

class BatchTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(Call("/storage/v1/b?project=p", R"({"name":"bucket"})", "").status, 200); }
  RawResponse Call(std::string_view target, std::string_view body, std::string_view headers = kType) {
    return RawConnection(endpoint()).Call("POST", target, headers, body);
  }
  static std::string Of(const std::vector<std::string>& calls) {
    std::string body;
    for (const std::string& call : calls) body += "--b\r\nContent-Type: application/http\r\n\r\n" + call + "\r\n";
    return body + "--b--\r\n";
  }
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
};

TEST_F(BatchTest, HasAtMost100Calls) {
  const std::string get = "GET /storage/v1/b/bucket HTTP/1.1\r\n\r\n";
  const RawResponse most = Call("/batch/storage/v1", Of(std::vector<std::string>(100, get)));
  EXPECT_EQ(most.status, 200);
  EXPECT_EQ(Count(most.body, "HTTP/1.1 200 OK"), 100U);
  const RawResponse more = Call("/batch/storage/v1", Of(std::vector<std::string>(101, get)));
  EXPECT_EQ(more.status, 400);
  EXPECT_EQ(emulator().counters().requests, 101) << "none of the 101 was served";
}

TEST_F(BatchTest, HasAtMost10Megabytes) {
  EXPECT_EQ(Call("/batch/storage/v1", Of({"GET /storage/v1/b HTTP/1.1\r\n\r\n" + std::string(11 << 20, ' ')})).status,
            413);
}

TEST_F(BatchTest, AppearsInTheJournalAsItsCalls) {
  Call("/batch/storage/v1", Of({"PATCH /storage/v1/b/bucket HTTP/1.1\r\n\r\n{\"labels\":{\"a\":\"b\"}}",
                                "DELETE /storage/v1/b/bucket/o/none HTTP/1.1\r\n\r\n"}));
  const auto journal = emulator().journal();
  ASSERT_EQ(journal.size(), 3U);
  EXPECT_EQ(journal[1].operation, "storage.buckets.patch");
  EXPECT_EQ(journal[1].bytes_in, 20);
  EXPECT_TRUE(journal[1].is_finished);
  EXPECT_GT(journal[1].bytes_out, 0);
  EXPECT_EQ(journal[2].operation, "storage.objects.delete");
  EXPECT_EQ(journal[2].status, 404);
}

TEST_F(BatchTest, AppliesRetryTestsToEachCall) {
  const RawResponse made = Call("/retry_test", R"({"instructions":{"storage.buckets.get":["return-503"]}})", "");
  const std::string id = made.body.substr(made.body.find("\"id\":\"") + 6, 32);
  const std::string get = "GET /storage/v1/b/bucket HTTP/1.1\r\n\r\n";
  const RawResponse batch =
      Call("/batch/storage/v1", Of({get, get}), std::string(kType) + "x-retry-test-id: " + id + "\r\n");
  EXPECT_EQ(Count(batch.body, "HTTP/1.1 503 Service Unavailable"), 1U);
  EXPECT_EQ(Count(batch.body, "HTTP/1.1 200 OK"), 1U);
}

TEST_F(BatchTest, ResetsIfACallDoes) {
  const RawResponse made =
      Call("/retry_test", R"({"instructions":{"storage.buckets.get":["return-reset-connection"]}})", "");
  const std::string id = made.body.substr(made.body.find("\"id\":\"") + 6, 32);
  RawConnection connection(endpoint());
  const std::string body = Of({"GET /storage/v1/b/bucket HTTP/1.1\r\n\r\n"});
  connection.Send("POST /batch/storage/v1 HTTP/1.1\r\nHost: h\r\n" + std::string(kType) + "x-retry-test-id: " + id +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_FALSE(connection.Receive());
  EXPECT_TRUE(connection.was_reset());
}

TEST_F(BatchTest, AnswersEachIdAndMalformedCall) {
  const RawResponse batch = Call("/batch/storage/v1",
                                 "--b\r\nContent-ID: <x+1>\r\n\r\nnonsense\r\n--b\r\nContent-ID: y\r\n\r\nHEAD "
                                 "/storage/v1/b/bucket\r\n\r\n\r\n--b--");
  EXPECT_EQ(batch.status, 200);
  EXPECT_THAT(batch.body, HasSubstr("Content-ID: <response-x+1>\r\n\r\nHTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(batch.body, HasSubstr("Content-ID: response-y\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST_F(BatchTest, SkipsTrickleForCallsWithoutBytes) {
  emulator().faults().Add({.name = "slow", .action = {.type = "trickle", .bytes_per_second = 1'000'000}});
  Call("/batch/storage/v1", Of({"HEAD /storage/v1/b/bucket HTTP/1.1\r\n\r\n"}));
  EXPECT_EQ(emulator().faults().Fired("slow"), 0U);
  Call("/batch/storage/v1", Of({"GET /storage/v1/b/bucket HTTP/1.1\r\n\r\n"}));
  EXPECT_EQ(emulator().faults().Fired("slow"), 1U);
}

// A page of 5000 objects for each call would take a gigabyte.
TEST(BatchAnswers, HaveALimitedSize) {
  const Emulator emulator({.virtual_buckets = {{.name = "big", .count = 5000, .size_bytes = 1}}});
  const std::string list = "GET /storage/v1/b/big/o?maxResults=5000 HTTP/1.1\r\n\r\n";
  std::string body;
  for (int i = 0; i < 100; ++i) body += "--b\r\nContent-Type: application/http\r\n\r\n" + list + "\r\n";
  const std::size_t one =
      RawConnection(emulator.endpoint()).Call("GET", "/storage/v1/b/big/o?maxResults=5000").body.size();
  const RawResponse batch =
      RawConnection(emulator.endpoint()).Call("POST", "/batch/storage/v1", kType, body + "--b--\r\n");
  EXPECT_EQ(batch.status, 200);
  const std::size_t kBound = std::size_t{32} << 20;
  EXPECT_GE(batch.body.size(), kBound);
  EXPECT_LT(batch.body.size(), kBound + 2 * one);
  std::size_t answers = 0;
  for (std::size_t at = batch.body.find("\nHTTP/1.1 "); at != std::string::npos;
       at = batch.body.find("\nHTTP/1.1 ", at + 1)) {
    ++answers;
  }
  EXPECT_EQ(answers, 100U);
  EXPECT_NE(batch.body.find("HTTP/1.1 503"), std::string::npos);
  EXPECT_LT(emulator.journal().size(), 100U) << "the other calls were not carried out";
}

// Sets the flag that ends long requests.
class InterruptingHandler final : public RequestHandler {
 public:
  explicit InterruptingHandler(std::atomic<bool>& flag) : flag_(flag) {}
  [[nodiscard]] int calls() const { return calls_; }
  HttpResponse Handle(const HttpRequest& /*request*/, RequestBody& /*body*/) override {
    ++calls_;
    flag_ = true;
    return {};
  }

 private:
  std::atomic<bool>& flag_;
  int calls_ = 0;
};

TEST(BatchAnswers, StopWithTheEmulator) {
  std::atomic<bool> flag = false;
  const Interruptible interruptible(flag);
  InterruptingHandler handler(flag);
  const Clock clock;
  BatchEndpoint endpoint(handler, clock);
  HttpRequest request{.method = "POST", .target = "/batch/storage/v1"};
  request.headers.Add("Content-Type", "multipart/mixed; boundary=b");
  const std::string call = "--b\r\nContent-Type: application/http\r\n\r\nGET /storage/v1/b HTTP/1.1\r\n\r\n";
  TextBody body(call + "\r\n" + call + "\r\n--b--\r\n", false);
  EXPECT_THROW((void)endpoint.Handle(request, body), Interrupted);
  EXPECT_EQ(handler.calls(), 1);
}

}  // namespace
}  // namespace gcsflux::emulator
