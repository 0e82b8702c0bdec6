// The Retry Test API as clients' own conformance runs use it: every method with every kind of instruction, on raw
// sockets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "emulator/raw_connection.h"
#include "gcsflux/emulator/gtest.h"
#include "gcsflux/emulator/journal_queries.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t k256Kib = std::size_t{256} << 10;

class RetryTestApiTest : public EmulatorTest {
 protected:
  void SetUp() override { SetUpStore(); }

  void SetUpStore() {
    ASSERT_EQ(Call("POST", "/storage/v1/b?project=p", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(Call("POST", "/storage/v1/b?project=p", R"({"name":"empty-bucket"})").status, 200);
    Store("o", std::string(100, 'o'));
    Store("p", std::string(100, 'p'));
  }
  void Store(const std::string& name, const std::string& bytes) {
    ASSERT_EQ(Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, bytes).status, 200);
  }

  // A client of its own that takes part in no test.
  RawResponse Call(std::string_view method, std::string_view target, std::string_view body = "",
                   std::string_view headers = "") {
    return RawConnection(endpoint()).Call(method, target, headers, body);
  }

  json Make(const std::string& method, const std::vector<std::string>& instructions) {
    const RawResponse made = Call("POST", "/retry_test", json{{"instructions", {{method, instructions}}}}.dump());
    EXPECT_EQ(made.status, 200) << made.body;
    id_ = json::parse(made.body).at("id");
    return json::parse(made.body);
  }
  json State() { return json::parse(Call("GET", "/retry_test/" + id_).body); }
  bool IsCompleted() { return State().at("completed"); }

  // One request that takes part in the test, on a connection of its own.
  std::optional<RawResponse> Send(std::string_view method, std::string_view target, std::string_view body = "",
                                  std::string_view headers = "") {
    RawConnection connection(endpoint());
    connection.Send(std::string(method) + " " + std::string(target) +
                    " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ + "\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
    return connection.Receive();
  }

  std::string id_;
};

TEST_F(RetryTestApiTest, TestsAreMadeSeenAndDeleted) {
  const json made = Make("storage.buckets.list", {"return-503", "return-reset-connection"});
  EXPECT_EQ(made, (json{{"id", id_},
                        {"instructions", {{"storage.buckets.list", {"return-503", "return-reset-connection"}}}},
                        {"completed", false},
                        {"transport", "HTTP"}}));
  EXPECT_EQ(State(), made);
  EXPECT_EQ(json::parse(Call("GET", "/retry_tests").body), (json{{"retry_test", {made}}}));
  EXPECT_EQ(Call("DELETE", "/retry_test/" + id_).status, 200);
  EXPECT_EQ(Call("GET", "/retry_test/" + id_).status, 404);
  EXPECT_EQ(Call("DELETE", "/retry_test/" + id_).status, 404);
  EXPECT_EQ(json::parse(Call("GET", "/retry_tests").body), (json{{"retry_test", json::array()}}));
}

TEST_F(RetryTestApiTest, TestsAreMadeInProcessToo) {
  id_ = emulator().retry_tests().Make({{"storage.objects.get", {"return-503"}}}).id;
  EXPECT_EQ(Send("GET", "/storage/v1/b/bucket/o/o")->status, 503);
  EXPECT_TRUE(emulator().retry_tests().Find(id_)->is_completed);
  EXPECT_THAT(emulator().retry_tests().List(), SizeIs(1));
  EXPECT_TRUE(emulator().retry_tests().Delete(id_));
  EXPECT_FALSE(emulator().retry_tests().Find(id_));
}

TEST_F(RetryTestApiTest, WhatIsNoTestIsRefusedByName) {
  struct Case {
    std::string body;
    int status;
    std::string want;
  };
  const std::vector<Case> cases = {
      {"", 400, "JSON"},
      {"[]", 400, "JSON"},
      {"{}", 400, "instructions"},
      {R"({"instructions":{}})", 400, "instructions"},
      {R"({"instructions":[]})", 400, "instructions"},
      {R"({"instructions":{"storage.objects.get":"return-503"}})", 400, "instructions"},
      {R"({"instructions":{"storage.objects.get":[503]}})", 400, "instructions"},
      {R"({"instructions":{"storage.objects.get":[]}})", 400, "instructions"},
      {R"({"instructions":{"storage.objects.fly":["return-503"]}})", 400, "storage.objects.fly"},
      {R"({"instructions":{"storage.objects.get":["return-503","return-it"]}})", 400, "return-it"},
      {R"({"instructions":{"storage.objects.get":["return-503"]},"transport":"GRPC"})", 501, "HTTP"},
      {R"({"instructions":{"storage.objects.get":["return-503"]},"transport":"PIGEON"})", 400, "transport"},
  };
  for (const Case& test : cases) {
    const RawResponse response = Call("POST", "/retry_test", test.body);
    EXPECT_EQ(response.status, test.status) << test.body;
    EXPECT_THAT(response.body, HasSubstr(test.want)) << test.body;
  }
  EXPECT_EQ(Call("PUT", "/retry_test").status, 405);
  EXPECT_EQ(Call("PATCH", "/retry_test/x").status, 405);
  EXPECT_EQ(Call("POST", "/retry_tests").status, 405);
}

TEST_F(RetryTestApiTest, AnUnknownTestIsNotFound) {
  id_ = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(Send("GET", "/storage/v1/b/bucket/o/o")->status, 404);
  EXPECT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=new", "bytes")->status, 404);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/new").status, 404) << "the operation ran";
}

TEST_F(RetryTestApiTest, ResetForgetsTests) {
  Make("storage.buckets.list", {"return-503"});
  emulator().Reset();
  EXPECT_EQ(Call("GET", "/retry_test/" + id_).status, 404);
}

// One request of each method that is served, and whether it has run.
struct Operation {
  std::string method;
  std::string verb;
  std::string target;
  std::string body = {};
  std::string headers = {};
  std::string probe = {};       // "GET" of it...
  int probe_status = 0;         // ...is answered so once the operation has run
  std::string probe_text = {};  // and has this
  bool has_body = true;         // in its answer
};

const std::vector<Operation>& Operations() {
  static const std::string multipart = "--b\r\n\r\n{\"name\":\"new\"}\r\n--b\r\n\r\nbytes\r\n--b--";
  static const std::string kObjects = "/storage/v1/b/bucket/o";
  static const std::string kUpload = "/upload/storage/v1/b/bucket/o";
  static const std::string labels = R"({"labels":{"probe":"seen"}})";
  static const std::string sources = R"({"sourceObjects":[{"name":"o"},{"name":"p"}]})";
  static const std::vector<Operation> all = {
      {"storage.buckets.list", "GET", "/storage/v1/b?project=p"},
      {"storage.buckets.get", "GET", "/storage/v1/b/bucket"},
      {"storage.buckets.insert", "POST", "/storage/v1/b?project=p", R"({"name":"new-bucket"})", "",
       "/storage/v1/b/new-bucket", 200},
      {"storage.buckets.patch", "PATCH", "/storage/v1/b/bucket", labels, "", "/storage/v1/b/bucket", 200, "seen"},
      {"storage.buckets.update", "PUT", "/storage/v1/b/bucket", labels, "", "/storage/v1/b/bucket", 200, "seen"},
      {"storage.buckets.delete", "DELETE", "/storage/v1/b/empty-bucket", "", "", "/storage/v1/b/empty-bucket", 404, "",
       false},
      {"storage.buckets.testIamPermissions", "GET",
       "/storage/v1/b/bucket/iam/testPermissions?permissions=storage.objects.get"},
      {"storage.objects.list", "GET", kObjects},
      {"storage.objects.get", "GET", kObjects + "/o"},
      {"storage.objects.get", "GET", kObjects + "/o?alt=media"},
      {"storage.objects.get", "GET", "/download" + kObjects + "/o?alt=media"},
      {"storage.objects.get", "GET", "/bucket/o"},
      {"storage.objects.insert", "POST", kUpload + "?uploadType=media&name=new", "bytes", "", kObjects + "/new", 200},
      {"storage.objects.insert", "POST", kUpload + "?uploadType=multipart", multipart,
       "Content-Type: multipart/related; boundary=b\r\n", kObjects + "/new", 200},
      {"storage.objects.insert", "PUT", "/bucket/new", "bytes", "", kObjects + "/new", 200, "", false},
      {"storage.objects.insert", "POST", "/bucket/new?uploads", "", "", "/bucket?uploads", 200, "<Upload>"},
      {"storage.objects.patch", "PATCH", kObjects + "/o", R"({"metadata":{"probe":"seen"}})", "", kObjects + "/o", 200,
       "seen"},
      {"storage.objects.update", "PUT", kObjects + "/o", R"({"metadata":{"probe":"seen"}})", "", kObjects + "/o", 200,
       "seen"},
      {"storage.objects.delete", "DELETE", kObjects + "/o", "", "", kObjects + "/o", 404, "", false},
      {"storage.objects.delete", "DELETE", "/bucket/o", "", "", kObjects + "/o", 404, "", false},
      {"storage.objects.compose", "POST", kObjects + "/new/compose", sources, "", kObjects + "/new", 200},
      {"storage.objects.copy", "POST", kObjects + "/o/copyTo/b/bucket/o/new", "", "", kObjects + "/new", 200},
      {"storage.objects.rewrite", "POST", kObjects + "/o/rewriteTo/b/bucket/o/new", "", "", kObjects + "/new", 200},
  };
  return all;
}

class RetryTestOperationsTest : public RetryTestApiTest {
 protected:
  // For each operation anew: a store, and a test with the instruction.
  void ForEach(const std::string& instruction, const std::function<void(const Operation&)>& check) {
    for (const Operation& operation : Operations()) {
      SCOPED_TRACE(instruction + " " + operation.method + " " + operation.verb + " " + operation.target);
      emulator().Reset();
      SetUpStore();
      Make(operation.method, {instruction});
      check(operation);
    }
  }
  std::optional<RawResponse> Run(const Operation& operation) {
    return Send(operation.verb, operation.target, operation.body, operation.headers);
  }
  // Reads leave nothing behind by which it could be told.
  static bool LeavesTraces(const Operation& operation) { return !operation.probe.empty(); }
  bool HasRun(const Operation& operation) {
    const RawResponse probe = Call("GET", operation.probe);
    return probe.status == operation.probe_status && probe.body.find(operation.probe_text) != std::string::npos;
  }
  // The same again meets nothing.
  void ExpectThatItRunsNow(const Operation& operation) {
    const std::optional<RawResponse> response = Run(operation);
    ASSERT_TRUE(response);
    EXPECT_LT(response->status, 300) << response->body;
    EXPECT_EQ(LeavesTraces(operation) && HasRun(operation), LeavesTraces(operation));
  }
};

TEST_F(RetryTestOperationsTest, AStatusKeepsTheOperationFromRunning) {
  for (const int status : {408, 429, 500, 503}) {
    ForEach("return-" + std::to_string(status), [&](const Operation& operation) {
      const std::optional<RawResponse> response = Run(operation);
      ASSERT_TRUE(response);
      EXPECT_EQ(response->status, status);
      EXPECT_THAT(response->body, HasSubstr(response->body.starts_with("<") ? "<Error>" : std::to_string(status)));
      EXPECT_TRUE(IsCompleted());
      EXPECT_FALSE(LeavesTraces(operation) && HasRun(operation));
      ExpectThatItRunsNow(operation);
    });
  }
}

TEST_F(RetryTestOperationsTest, AResetKeepsTheOperationFromRunning) {
  ForEach("return-reset-connection", [&](const Operation& operation) {
    EXPECT_FALSE(Run(operation)) << "something was answered";
    EXPECT_TRUE(IsCompleted());
    EXPECT_FALSE(LeavesTraces(operation) && HasRun(operation));
    ExpectThatItRunsNow(operation);
  });
}

TEST_F(RetryTestOperationsTest, ABrokenStreamLetsTheOperationRun) {
  ForEach("return-broken-stream", [&](const Operation& operation) {
    EXPECT_FALSE(Run(operation)) << "a whole answer came";
    EXPECT_TRUE(IsCompleted());
    EXPECT_EQ(LeavesTraces(operation) && HasRun(operation), LeavesTraces(operation));
  });
}

TEST_F(RetryTestOperationsTest, OtherMethodsInstructionsStay) {
  for (const Operation& operation : Operations()) {
    SCOPED_TRACE(operation.method);
    emulator().Reset();
    SetUpStore();
    Make(operation.method == "storage.hmacKey.list" ? "storage.hmacKey.get" : "storage.hmacKey.list", {"return-503"});
    ExpectThatItRunsNow(operation);
    EXPECT_FALSE(IsCompleted());
  }
}

TEST_F(RetryTestApiTest, MethodsThatAreNotServedMeetTheirInstructionsToo) {
  struct Case {
    std::string method;
    std::string verb;
    std::string target;
  };
  std::vector<Case> cases = {
      {"storage.buckets.getIamPolicy", "GET", "/storage/v1/b/bucket/iam"},
      {"storage.buckets.setIamPolicy", "PUT", "/storage/v1/b/bucket/iam"},
      {"storage.buckets.lockRetentionPolicy", "POST", "/storage/v1/b/bucket/lockRetentionPolicy"},
      {"storage.objects.restore", "POST", "/storage/v1/b/bucket/o/o/restore"},
      {"storage.notifications.list", "GET", "/storage/v1/b/bucket/notificationConfigs"},
      {"storage.notifications.insert", "POST", "/storage/v1/b/bucket/notificationConfigs"},
      {"storage.notifications.get", "GET", "/storage/v1/b/bucket/notificationConfigs/1"},
      {"storage.notifications.delete", "DELETE", "/storage/v1/b/bucket/notificationConfigs/1"},
      {"storage.hmacKey.list", "GET", "/storage/v1/projects/p/hmacKeys"},
      {"storage.hmacKey.create", "POST", "/storage/v1/projects/p/hmacKeys"},
      {"storage.hmacKey.get", "GET", "/storage/v1/projects/p/hmacKeys/1"},
      {"storage.hmacKey.update", "PUT", "/storage/v1/projects/p/hmacKeys/1"},
      {"storage.hmacKey.delete", "DELETE", "/storage/v1/projects/p/hmacKeys/1"},
      {"storage.serviceaccount.get", "GET", "/storage/v1/projects/p/serviceAccount"},
  };
  for (const auto& [of, path] :
       std::vector<std::pair<std::string, std::string>>{{"bucket_acl", "/storage/v1/b/bucket/acl"},
                                                        {"default_object_acl", "/storage/v1/b/bucket/defaultObjectAcl"},
                                                        {"object_acl", "/storage/v1/b/bucket/o/o/acl"}}) {
    cases.push_back({"storage." + of + ".list", "GET", path});
    cases.push_back({"storage." + of + ".insert", "POST", path});
    cases.push_back({"storage." + of + ".get", "GET", path + "/allUsers"});
    cases.push_back({"storage." + of + ".update", "PUT", path + "/allUsers"});
    cases.push_back({"storage." + of + ".patch", "PATCH", path + "/allUsers"});
    cases.push_back({"storage." + of + ".delete", "DELETE", path + "/allUsers"});
  }
  for (const Case& test : cases) {
    SCOPED_TRACE(test.method);
    Make(test.method, {"return-503", "return-reset-connection"});
    EXPECT_EQ(Send(test.verb, test.target)->status, 503);
    EXPECT_FALSE(Send(test.verb, test.target));
    EXPECT_TRUE(IsCompleted());
    const std::optional<RawResponse> response = Send(test.verb, test.target);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 501);
    EXPECT_THAT(response->body, HasSubstr(test.method));
  }
}

TEST_F(RetryTestApiTest, AHeadThatDoesNotApplyBlocksWhatIsBehindIt) {
  Store("small", std::string(k256Kib - 1, 's'));
  Make("storage.objects.get", {"return-broken-stream-after-256K", "return-503"});
  EXPECT_EQ(Send("GET", "/bucket/small")->status, 200);
  EXPECT_EQ(Send("GET", "/bucket/small")->status, 200);
  EXPECT_THAT(State().at("instructions").at("storage.objects.get"), SizeIs(2));
}

// The head of an answer and what came of its body.
struct PartialAnswer {
  std::string head = {};
  std::string body = {};
};

class RetryTestBytesTest : public RetryTestApiTest {
 protected:
  PartialAnswer Download(const std::string& target, const std::string& headers = "") {
    RawConnection connection(endpoint());
    connection.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-retry-test-id: " + id_ +
                    "\r\n" + headers + "\r\n");
    const std::string all = connection.ReceiveAll();
    const std::size_t end = all.find("\r\n\r\n") + 4;
    return {all.substr(0, end), all.substr(end)};
  }

  // A session for an object of that name, and its chunks.
  std::string Start(const std::string& name) {
    const RawResponse start = Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=" + name);
    const std::string location = start.Header("location");
    return location.substr(location.find("/upload/"));
  }
  static std::string Range(std::size_t first, std::size_t size, const std::string& total) {
    return "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(first + size - 1) + "/" + total +
           "\r\n";
  }
  std::string PersistedOf(const std::string& session) {
    return Call("PUT", session, "", "Content-Range: bytes */*\r\n").Header("range");
  }
};

TEST_F(RetryTestBytesTest, ADownloadBreaksOffAfterSoManyBytesOfThisAnswer) {
  Store("big", std::string(2 * k256Kib, 'b'));
  struct Case {
    std::string range;
    std::string status;
    std::size_t whole;  // bytes that the answer announces
    std::size_t got;
  };
  const std::size_t size = 2 * k256Kib;
  const std::vector<Case> cases = {
      {"", "200", size, k256Kib},
      {"bytes=1000-", "206", size - 1000, k256Kib},
      {"bytes=0-" + std::to_string(k256Kib), "206", k256Kib + 1, k256Kib},          // just longer
      {"bytes=0-" + std::to_string(k256Kib - 1), "206", k256Kib, k256Kib},          // just as long: nothing to cut
      {"bytes=0-" + std::to_string(k256Kib - 2), "206", k256Kib - 1, k256Kib - 1},  // shorter
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.range);
    Make("storage.objects.get", {"return-broken-stream-after-256K"});
    const PartialAnswer answer = Download("/bucket/big", test.range.empty() ? "" : "Range: " + test.range + "\r\n");
    EXPECT_THAT(answer.head, HasSubstr("HTTP/1.1 " + test.status));
    EXPECT_THAT(answer.head, HasSubstr("Content-Length: " + std::to_string(test.whole)));
    EXPECT_EQ(answer.body.size(), test.got);
    EXPECT_EQ(IsCompleted(), test.got < test.whole);
  }
}

TEST_F(RetryTestBytesTest, AnUploadInOneRequestFailsFromSoManyBytesOn) {
  for (const std::string type : {"media", "multipart", "xml"}) {
    for (const std::size_t size : {k256Kib - 1, k256Kib, k256Kib + 1}) {
      SCOPED_TRACE(type + " " + std::to_string(size));
      Make("storage.objects.insert", {"return-503-after-256K"});
      const std::string name = type + std::to_string(size);
      const std::string bytes(size, 'u');
      std::optional<RawResponse> response;
      if (type == "media")
        response = Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, bytes);
      if (type == "xml") response = Send("PUT", "/bucket/" + name, bytes);
      if (type == "multipart") {
        response = Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=multipart",
                        "--b\r\n\r\n{\"name\":\"" + name + "\"}\r\n--b\r\n\r\n" + bytes + "\r\n--b--",
                        "Content-Type: multipart/related; boundary=b\r\n");
      }
      ASSERT_TRUE(response);
      const bool fails = size >= k256Kib;
      EXPECT_EQ(response->status, fails ? 503 : 200);
      EXPECT_EQ(IsCompleted(), fails);
      EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/" + name).status, fails ? 404 : 200) << "committed";
    }
  }
}

TEST_F(RetryTestBytesTest, AChunkFailsWhereItCoversTheByteAndKeepsWhatIsBefore) {
  struct Case {
    std::string instruction;
    std::size_t before;  // chunks of 256 KiB that are there already
    std::size_t chunk;
    int status;
    std::string persisted;
  };
  const std::vector<Case> cases = {
      {"return-503-after-256K", 0, k256Kib, 503, "bytes=0-262143"},
      {"return-503-after-256K", 0, 2 * k256Kib, 503, "bytes=0-262143"},
      {"return-503-after-512K", 0, k256Kib, 308, "bytes=0-262143"},      // ends before
      {"return-503-after-512K", 1, k256Kib, 503, "bytes=0-524287"},      // ends there
      {"return-408-after-384K", 0, 2 * k256Kib, 408, "bytes=0-393215"},  // in its midst
      {"return-503-after-256K", 2, k256Kib, 503, "bytes=0-524287"},      // begins behind it
  };
  int number = 0;
  for (const Case& test : cases) {
    SCOPED_TRACE(test.instruction + " before " + std::to_string(test.before) + " chunk " + std::to_string(test.chunk));
    const std::string session = Start("chunked" + std::to_string(++number));
    for (std::size_t i = 0; i < test.before; ++i) {
      ASSERT_EQ(Call("PUT", session, std::string(k256Kib, 'c'), Range(i * k256Kib, k256Kib, "*")).status, 308);
    }
    Make("storage.objects.insert", {test.instruction});
    const auto response =
        Send("PUT", session, std::string(test.chunk, 'c'), Range(test.before * k256Kib, test.chunk, "*"));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, test.status);
    EXPECT_EQ(IsCompleted(), test.status != 308);
    EXPECT_EQ(PersistedOf(session), test.persisted);
  }
}

TEST_F(RetryTestBytesTest, AFinalChunkThatFailsCommitsNothing) {
  const std::string session = Start("final");
  Make("storage.objects.insert", {"return-503-after-256K"});
  const std::string bytes(k256Kib + 100, 'f');
  EXPECT_EQ(Send("PUT", session, bytes, Range(0, bytes.size(), std::to_string(bytes.size())))->status, 503);
  EXPECT_EQ(PersistedOf(session), "bytes=0-262143");
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/final").status, 404);
  EXPECT_EQ(Send("PUT", session, bytes.substr(k256Kib), Range(k256Kib, 100, std::to_string(bytes.size())))->status,
            200);
  EXPECT_EQ(json::parse(Call("GET", "/storage/v1/b/bucket/o/final").body).at("size"), std::to_string(bytes.size()));
}

TEST_F(RetryTestBytesTest, AStartAndAQuestionAreNoUploadOfBytes) {
  Make("storage.objects.insert", {"return-503-after-0K"});
  EXPECT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=new")->status, 200);
  EXPECT_EQ(Send("PUT", Start("asked"), "", "Content-Range: bytes */*\r\n")->status, 308);
  EXPECT_FALSE(IsCompleted());
}

TEST_F(RetryTestBytesTest, ACompletionsAnswerBreaksOff) {
  for (const std::size_t bytes : {0, 1, 100}) {
    SCOPED_TRACE(bytes);
    const std::string name = "broken" + std::to_string(bytes);
    const std::string session = Start(name);
    Make("storage.objects.insert", {"return-broken-stream-final-chunk-after-" + std::to_string(bytes) + "B"});
    EXPECT_EQ(Send("PUT", session, std::string(k256Kib, 'b'), Range(0, k256Kib, "*"))->status, 308)
        << "it does not complete the upload";
    EXPECT_FALSE(IsCompleted());
    RawConnection connection(endpoint());
    connection.Send("PUT " + session + " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ +
                    "\r\nContent-Length: 1\r\n" + Range(k256Kib, 1, std::to_string(k256Kib + 1)) + "\r\nb");
    const std::string all = connection.ReceiveAll();
    const std::size_t head = all.find("\r\n\r\n") + 4;
    EXPECT_THAT(all, testing::StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(all.size() - head, bytes);
    EXPECT_TRUE(IsCompleted());
    EXPECT_THAT(FindCommits(emulator().journal(), "bucket", name), SizeIs(1));
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/" + name).status, 200) << "it was committed";
  }
}

TEST_F(RetryTestBytesTest, ADownloadPausesOnce) {
  Store("big", std::string(2 * k256Kib, 'b'));
  Make("storage.objects.get", {"stall-for-10s-after-256K"});
  emulator().clock().Freeze();
  RawConnection connection(endpoint());
  connection.Send("GET /bucket/big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nx-retry-test-id: " + id_ +
                  "\r\n\r\n");
  emulator().clock().AwaitWaiters(1);
  EXPECT_EQ(emulator().journal().back().bytes_out, k256Kib);
  emulator().clock().Advance(std::chrono::seconds(10));
  const std::string all = connection.ReceiveAll();
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 2 * k256Kib);
  EXPECT_TRUE(IsCompleted());
}

TEST_F(RetryTestBytesTest, AShorterDownloadDoesNotPause) {
  Store("small", std::string(k256Kib - 1, 's'));
  Make("storage.objects.get", {"stall-for-10s-after-256K"});
  emulator().clock().Freeze();
  EXPECT_EQ(Download("/bucket/small").body.size(), k256Kib - 1);
  EXPECT_FALSE(IsCompleted());
}

TEST_F(RetryTestBytesTest, AnUploadPausesBeforeAnythingIsKept) {
  struct Case {
    std::size_t before;
    std::size_t size;
    bool pauses;
  };
  for (const Case& test : {Case{0, k256Kib, false}, {1, k256Kib, true}, {0, 2 * k256Kib, true}, {2, k256Kib, false}}) {
    SCOPED_TRACE(std::to_string(test.before) + " " + std::to_string(test.size));
    const std::string session = Start("stalled" + std::to_string(test.before) + std::to_string(test.size));
    for (std::size_t i = 0; i < test.before; ++i) {
      ASSERT_EQ(Call("PUT", session, std::string(k256Kib, 'c'), Range(i * k256Kib, k256Kib, "*")).status, 308);
    }
    const std::string before = PersistedOf(session);
    Make("storage.objects.insert", {"stall-for-10s-after-512K"});
    emulator().clock().Freeze();
    RawConnection connection(endpoint());
    connection.Send("PUT " + session + " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ +
                    "\r\nContent-Length: " + std::to_string(test.size) + "\r\n" +
                    Range(test.before * k256Kib, test.size, "*") + "\r\n" + std::string(test.size, 'c'));
    if (test.pauses) {
      emulator().clock().AwaitWaiters(1);
      EXPECT_EQ(PersistedOf(session), before);
      emulator().clock().Advance(std::chrono::seconds(10));
    }
    EXPECT_EQ(connection.Receive()->status, 308);
    EXPECT_EQ(IsCompleted(), test.pauses);
    EXPECT_EQ(PersistedOf(session), "bytes=0-" + std::to_string(test.before * k256Kib + test.size - 1));
  }
}

// x-goog-emulator-instructions: for one request, and forgotten with it.
class InstructionHeaderTest : public RetryTestBytesTest {
 protected:
  static std::string Header(const std::string& instruction) {
    return "x-goog-emulator-instructions: " + instruction + "\r\n";
  }
  std::string Get(const std::string& target, const std::string& headers) {
    RawConnection connection(endpoint());
    connection.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
    return connection.ReceiveAll();
  }
  static std::string BodyOf(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
};

TEST_F(InstructionHeaderTest, BreaksAStreamAfterOneMib) {
  Store("big", std::string((1 << 20) + 1, 'b'));
  EXPECT_EQ(BodyOf(Get("/bucket/big", Header("return-broken-stream"))).size(), std::size_t{1} << 20);
  EXPECT_EQ(BodyOf(Get("/bucket/big", "x-goog-testbench-instructions: return-broken-stream\r\n")).size(),
            std::size_t{1} << 20);
  EXPECT_EQ(BodyOf(Get("/bucket/o", Header("return-broken-stream"))).size(), 100U);
}

TEST_F(InstructionHeaderTest, CorruptsTheFirstByteBehindTrueHashes) {
  const std::string whole = Get("/bucket/o", "");
  const std::string corrupted = Get("/bucket/o", Header("return-corrupted-data"));
  const auto hash = [](const std::string& answer) {
    const std::size_t begin = answer.find("X-Goog-Hash");
    return answer.substr(begin, answer.find("\r\n", begin) - begin);
  };
  EXPECT_EQ(hash(corrupted), hash(whole));
  EXPECT_NE(BodyOf(corrupted)[0], BodyOf(whole)[0]);
  EXPECT_EQ(BodyOf(corrupted).substr(1), BodyOf(whole).substr(1));
  EXPECT_EQ(BodyOf(Get("/bucket/o", "")), std::string(100, 'o')) << "the store was changed";
}

TEST_F(InstructionHeaderTest, FailsAfter256KibAndThenAtOnce) {
  Store("big", std::string(2 * k256Kib, 'b'));
  EXPECT_EQ(BodyOf(Get("/bucket/big", Header("return-503-after-256K"))).size(), k256Kib);
  EXPECT_THAT(Get("/bucket/big", Header("return-503-after-256K") + "Range: bytes=262144-\r\n"),
              testing::StartsWith("HTTP/1.1 503"));
}

TEST_F(InstructionHeaderTest, Stalls) {
  Store("big", std::string(2 * k256Kib, 'b'));
  struct Case {
    std::string instruction;
    std::string range;
    std::optional<std::size_t> at;
  };
  const std::vector<Case> cases = {{"stall-always", "", 0},
                                   {"stall-always", "Range: bytes=100-\r\n", 0},
                                   {"stall-at-256KiB", "", k256Kib},
                                   {"stall-at-256KiB", "Range: bytes=100-\r\n", std::nullopt}};
  emulator().clock().Freeze();
  for (const Case& test : cases) {
    SCOPED_TRACE(test.instruction + " " + test.range);
    RawConnection connection(endpoint());
    connection.Send("GET /bucket/big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + Header(test.instruction) +
                    test.range + "\r\n");
    if (test.at) {
      emulator().clock().AwaitWaiters(1);
      EXPECT_EQ(emulator().journal().back().bytes_out, *test.at);
      emulator().clock().Advance(std::chrono::seconds(10));
    }
    EXPECT_EQ(BodyOf(connection.ReceiveAll()).size(), 2 * k256Kib - (test.range.empty() ? 0 : 100));
  }
}

TEST_F(InstructionHeaderTest, CorruptsAnUploadBeforeItIsHashed) {
  const std::string target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=damaged";
  EXPECT_EQ(Call("POST", target, "bytes", Header("inject-upload-data-error")).status, 200);
  EXPECT_EQ(Call("GET", "/bucket/damaged").body, "cytes");
  const std::string true_hash =
      "x-goog-hash: crc32c=" +
      json::parse(Call("GET", "/storage/v1/b/bucket/o/o").body).at("crc32c").get<std::string>() + "\r\n";
  EXPECT_EQ(Call("POST", target, std::string(100, 'o'), Header("inject-upload-data-error") + true_hash).status, 400);
}

TEST_F(InstructionHeaderTest, LeavesOtherRequestsAlone) {
  for (const char* instruction :
       {"return-broken-stream", "return-corrupted-data", "stall-always", "return-503-after-256K"}) {
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/o", "", Header(instruction)).status, 200) << instruction;
    EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o", "", Header(instruction)).status, 200) << instruction;
  }
}

TEST_F(InstructionHeaderTest, RefusesWhatIsNone) {
  const RawResponse response = Call("GET", "/storage/v1/b/bucket/o/o?alt=media", "", Header("return-nonsense"));
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("return-nonsense"));
  EXPECT_THAT(Call("GET", "/bucket/o", "", Header("return-nonsense")).body, HasSubstr("<Error>"));
}

}  // namespace
}  // namespace gcsflux::emulator
