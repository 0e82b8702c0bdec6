// The Retry Test API as the conformance tests of clients use it: every method with every kind of instruction, on raw
// sockets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/support/retry_test_fixture.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(RetryTestApiTest, CreatesShowsAndDeletesTests) {
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

TEST_F(RetryTestApiTest, CreatesTestsInProcess) {
  id_ = emulator().retry_tests().Make({{"storage.objects.get", {"return-503"}}}).id;
  EXPECT_EQ(Send("GET", "/storage/v1/b/bucket/o/o")->status, 503);
  EXPECT_TRUE(emulator().retry_tests().Find(id_)->is_completed);
  EXPECT_THAT(emulator().retry_tests().List(), SizeIs(1));
  EXPECT_TRUE(emulator().retry_tests().Delete(id_));
  EXPECT_FALSE(emulator().retry_tests().Find(id_));
}

TEST_F(RetryTestApiTest, RefusesAMalformedTest) {
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

TEST_F(RetryTestApiTest, AnswersNotFoundForAnUnknownTest) {
  id_ = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(Send("GET", "/storage/v1/b/bucket/o/o")->status, 404);
  EXPECT_EQ(Send("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=new", "bytes")->status, 404);
  EXPECT_EQ(Call("GET", "/storage/v1/b/bucket/o/new").status, 404) << "the operation ran";
}

TEST_F(RetryTestApiTest, ResetDeletesTests) {
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
  // For each operation a new store, and a test with the instruction.
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
  // Reads have no effect by which a test could tell.
  static bool LeavesTraces(const Operation& operation) { return !operation.probe.empty(); }
  bool HasRun(const Operation& operation) {
    const RawResponse probe = Call("GET", operation.probe);
    return probe.status == operation.probe_status && probe.body.find(operation.probe_text) != std::string::npos;
  }
  // A repetition meets no instruction.
  void ExpectThatItRunsNow(const Operation& operation) {
    const std::optional<RawResponse> response = Run(operation);
    ASSERT_TRUE(response);
    EXPECT_LT(response->status, 300) << response->body;
    EXPECT_EQ(LeavesTraces(operation) && HasRun(operation), LeavesTraces(operation));
  }
};

TEST_F(RetryTestOperationsTest, StatusPreventsTheOperation) {
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

TEST_F(RetryTestOperationsTest, ResetPreventsTheOperation) {
  ForEach("return-reset-connection", [&](const Operation& operation) {
    EXPECT_FALSE(Run(operation)) << "something was answered";
    EXPECT_TRUE(IsCompleted());
    EXPECT_FALSE(LeavesTraces(operation) && HasRun(operation));
    ExpectThatItRunsNow(operation);
  });
}

TEST_F(RetryTestOperationsTest, BrokenStreamAllowsTheOperation) {
  ForEach("return-broken-stream", [&](const Operation& operation) {
    EXPECT_FALSE(Run(operation)) << "a whole answer arrived";
    EXPECT_TRUE(IsCompleted());
    EXPECT_EQ(LeavesTraces(operation) && HasRun(operation), LeavesTraces(operation));
  });
}

TEST_F(RetryTestOperationsTest, KeepsTheInstructionsOfOtherMethods) {
  for (const Operation& operation : Operations()) {
    SCOPED_TRACE(operation.method);
    emulator().Reset();
    SetUpStore();
    Make(operation.method == "storage.hmacKey.list" ? "storage.hmacKey.get" : "storage.hmacKey.list", {"return-503"});
    ExpectThatItRunsNow(operation);
    EXPECT_FALSE(IsCompleted());
  }
}

TEST_F(RetryTestApiTest, AppliesInstructionsToMethodsThatTheSdkLacks) {
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
    EXPECT_NE(response->status, 503);
  }
}

TEST_F(RetryTestApiTest, KeepsLaterInstructionsBehindAnUnusedOne) {
  Store("small", std::string(k256Kib - 1, 's'));
  Make("storage.objects.get", {"return-broken-stream-after-256K", "return-503"});
  EXPECT_EQ(Send("GET", "/bucket/small")->status, 200);
  EXPECT_EQ(Send("GET", "/bucket/small")->status, 200);
  EXPECT_THAT(State().at("instructions").at("storage.objects.get"), SizeIs(2));
}

}  // namespace
}  // namespace gcsflux::emulator
