// A client's calls when their token expires, is refused, or is unavailable: against a service in memory that counts
// requests, and whose answers a test chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/token_service.h"
#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "support/borrowed_transport.h"
#include "support/fails_with.h"
#include "support/raw_server.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using internal::HttpRequest;
using internal::HttpResponse;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kEndpoint = "https://storage.googleapis.com";
constexpr auto kTokenUrl = "https://oauth2.googleapis.com/token";
constexpr auto kBucket = R"({"name":"bkt","metageneration":"1"})";

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return std::string(value);
  }
  return "";
}

class ClientTokensTest : public ::testing::Test {
 protected:
  using Answer = std::function<Result<HttpResponse>(const HttpRequest&)>;

  // A client over a transport of the test; the token endpoint issues "token-00001" and so on.
  Client MakeClient(const Answer& storage, const internal::CredentialConfig& config = User(),
                    const Answer& token_endpoint = nullptr) {
    service_ = std::make_unique<testing::TokenService>([=, this](const HttpRequest& request) -> Result<HttpResponse> {
      if (request.url != kTokenUrl) return storage(request);
      if (token_endpoint) return token_endpoint(request);
      return testing::TokenAnswer("token-0000" + std::to_string(++tokens_), 3600);
    });
    ClientCore::Settings settings{
        .endpoint = kEndpoint,
        .project = "project",
        .authorization = {std::make_shared<internal::TokenCache>(internal::MakeTokenSource(config, false)), "payer"},
        .retry = RetryPolicies::All({.deadline = std::chrono::seconds(20)})};
    return ClientOf(std::make_shared<const ClientCore>(std::move(settings),
                                                       std::make_unique<testing::BorrowedTransport>(*service_),
                                                       std::make_unique<testing::DrivenTiming>()));
  }

  static internal::CredentialConfig User() {
    return {.kind = internal::AuthorizedUser{"client", "the-secret-of-it", "the-refresh-token", kTokenUrl}};
  }

  // Those that did not go to the token endpoint.
  std::vector<HttpRequest> StorageRequests() {
    auto requests = service_->requests();
    std::erase_if(requests, [](const HttpRequest& request) { return request.url == kTokenUrl; });
    return requests;
  }

  std::unique_ptr<testing::TokenService> service_;
  int tokens_ = 0;
};

TEST_F(ClientTokensTest, SendsTokenAndQuotaProject) {
  const Client client = MakeClient([](const HttpRequest&) { return HttpResponse{.status = 200, .body = kBucket}; });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.GetBucket("bkt").ok());
  for (const HttpRequest& request : StorageRequests()) {
    EXPECT_EQ(HeaderOf(request, "Authorization"), "Bearer token-00001");
    EXPECT_EQ(HeaderOf(request, "x-goog-user-project"), "payer");
  }
  EXPECT_EQ(tokens_, 1);
}

TEST_F(ClientTokensTest, RetriesARefusedRequestWithANewToken) {
  const Client client = MakeClient([](const HttpRequest& request) {
    const bool is_first = HeaderOf(request, "Authorization") == "Bearer token-00001";
    return is_first ? HttpResponse{.status = 401} : HttpResponse{.status = 200, .body = kBucket};
  });
  ASSERT_TRUE(client.GetBucket("bkt").ok());
  const auto requests = StorageRequests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_THAT(HeaderOf(requests[0], "x-goog-api-client"), HasSubstr("gccl-attempt-count/1"));
  EXPECT_THAT(HeaderOf(requests[1], "x-goog-api-client"), HasSubstr("gccl-attempt-count/2"));
  EXPECT_EQ(tokens_, 2);
  ASSERT_TRUE(client.GetBucket("bkt").ok());
  EXPECT_EQ(tokens_, 2) << "the new one is kept";
}

TEST_F(ClientTokensTest, RenewsTheTokenOncePerCall) {
  const Client client = MakeClient([](const HttpRequest&) { return HttpResponse{.status = 401}; });
  EXPECT_TRUE(testing::FailsWith(client.GetBucket("bkt"), ErrorCode::kUnauthenticated,
                                 AllOf(HasSubstr("buckets.get gs://bkt"), HasSubstr("401"), HasSubstr("gcloud auth"))));
  EXPECT_EQ(StorageRequests().size(), 2U);
  EXPECT_EQ(tokens_, 2);
}

TEST_F(ClientTokensTest, FailsAtOnceIfTheTokenCannotBeRenewed) {
  const Client client =
      MakeClient([](const HttpRequest&) { return HttpResponse{.status = 401}; }, {.kind = internal::FixedToken{"t"}});
  EXPECT_EQ(testing::ErrorOf(client.GetBucket("bkt")).code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(StorageRequests().size(), 1U);
}

TEST_F(ClientTokensTest, SendsNothingWithoutAToken) {
  struct Case {
    const char* name;
    int status;
    const char* body;
    ErrorCode code;
    const char* says;
  };
  for (const Case& failed :
       {Case{"refused", 400, R"({"error":"invalid_grant","error_description":"the-refresh-token is revoked"})",
             ErrorCode::kUnauthenticated, "400 invalid_grant"},
        Case{"down", 503, "", ErrorCode::kTokenUnavailable, "503 after "},
        Case{"not found", 404, "<html>", ErrorCode::kUnauthenticated, "404"},
        Case{"redirected", 302, "", ErrorCode::kBadResponse, "redirects are not followed"},
        Case{"a login page", 200, "<html>the-secret-of-it</html>", ErrorCode::kBadResponse, "is not a token"}}) {
    const Client client =
        MakeClient([](const HttpRequest&) { return HttpResponse{.status = 200, .body = kBucket}; }, User(),
                   [&](const HttpRequest&) { return HttpResponse{.status = failed.status, .body = failed.body}; });
    const auto deleted = client.DeleteBucket("bkt");
    ASSERT_FALSE(deleted.ok()) << failed.name << ": a token endpoint's 404 is not a success of a delete";
    EXPECT_EQ(deleted.error().code, failed.code) << failed.name;
    EXPECT_EQ(deleted.error().http_status, 0) << failed.name;
    EXPECT_THAT(deleted.error().message,
                AllOf(HasSubstr("buckets.delete gs://bkt: no token from https://oauth2.googleapis.com/token"),
                      HasSubstr(failed.says), Not(HasSubstr("the-secret-of-it")), Not(HasSubstr("the-refresh-token"))))
        << failed.name;
    EXPECT_THAT(StorageRequests(), IsEmpty()) << failed.name;
  }
}

TEST_F(ClientTokensTest, TellsALostTokenFromALostAnswer) {
  // If the token endpoint's failure counted as ambiguous for the delete, the 404 would pass for its success.
  int token_requests = 0;
  const Client client = MakeClient([](const HttpRequest&) { return HttpResponse{.status = 404}; }, User(),
                                   [&](const HttpRequest&) -> Result<HttpResponse> {
                                     if (++token_requests == 1) return Error{ErrorCode::kUnavailable, "reset"};
                                     return testing::TokenAnswer("token", 3600);
                                   });
  EXPECT_EQ(testing::ErrorOf(client.DeleteBucket("bkt")).code, ErrorCode::kNotFound);
  EXPECT_EQ(token_requests, 2);
}

TEST_F(ClientTokensTest, HidesATokenThatAnAnswerRepeats) {
  const Client client = MakeClient([](const HttpRequest& request) {
    return HttpResponse{.status = 403, .body = "you sent " + HeaderOf(request, "Authorization")};
  });
  const auto bucket = client.GetBucket("bkt");
  ASSERT_FALSE(bucket.ok());
  EXPECT_THAT(bucket.error().message, AllOf(HasSubstr("you sent Bearer [secret]"), Not(HasSubstr("token-0000"))));
}

TEST_F(ClientTokensTest, SendsNoTokenToASessionOnAnotherHost) {
  const std::string bytes(600'000, 'x');
  for (const auto& [location, is_ours] :
       {std::pair("https://storage.googleapis.com/session", true), std::pair("https://evil.com/session", false),
        std::pair("https://storage.googleapis.com.evil.com/session", false)}) {
    const Client client = MakeClient([session = location](const HttpRequest& request) {
      if (request.method != internal::Method::kPost) return HttpResponse{.status = 400};
      return HttpResponse{.status = 200, .headers = {{"location", session}}};
    });
    ObjectWriter writer(client, {"bkt", "o"}, {.chunk_bytes = 256 << 10, .path = WritePath::kOneStream});
    EXPECT_FALSE(writer.Write(AsBytes(bytes)).ok());
    const auto requests = StorageRequests();
    ASSERT_GE(requests.size(), 2U) << location;
    EXPECT_EQ(HeaderOf(requests[0], "Authorization"), "Bearer token-00001");
    EXPECT_EQ(requests[1].url, location);
    EXPECT_EQ(HeaderOf(requests[1], "Authorization").empty(), !is_ours) << location;
    tokens_ = 0;
  }
}

TEST_F(ClientTokensTest, SendsNothingToAnUnsafeSessionUri) {
  const std::string bytes(600'000, 'x');
  for (const char* location :
       {"http://storage.googleapis.com/session", "https://storage.googleapis.com@evil.com/session"}) {
    const Client client = MakeClient([&](const HttpRequest&) {
      return HttpResponse{.status = 200, .headers = {{"location", location}}};
    });
    ObjectWriter writer(client, {"bkt", "o"}, {.chunk_bytes = 256 << 10, .path = WritePath::kOneStream});
    EXPECT_TRUE(testing::FailsWith(writer.Write(AsBytes(bytes)), ErrorCode::kBadResponse)) << location;
    EXPECT_EQ(StorageRequests().size(), 1U) << location;
  }
}

TEST_F(ClientTokensTest, NamesThePlacesSearchedWithoutAMetadataServer) {
  const auto refused = [](const HttpRequest&) { return Error{ErrorCode::kUnreachable, "connection refused"}; };
  const Client client = MakeClient(
      refused, {.kind = internal::MetadataServer{"169.254.169.254", "GOOGLE_APPLICATION_CREDENTIALS is not set"}});
  EXPECT_TRUE(testing::FailsWith(
      client.GetBucket("bkt"), ErrorCode::kUnauthenticated,
      AllOf(HasSubstr("buckets.get gs://bkt: no credentials: GOOGLE_APPLICATION_CREDENTIALS is not set"),
            HasSubstr("http://169.254.169.254/"), HasSubstr("connection refused after 3 attempts"),
            HasSubstr("gcloud auth application-default login"), HasSubstr("--credentials=anonymous"))));
  const auto requests = StorageRequests();
  EXPECT_EQ(requests.size(), 3U) << "a few, and not until the deadline";
  for (const HttpRequest& request : requests) {
    EXPECT_EQ(HeaderOf(request, "Metadata-Flavor"), "Google");
    EXPECT_TRUE(request.bypass_proxy);
    EXPECT_LE(request.connect_timeout.value(), std::chrono::seconds(1));
  }
}

TEST_F(ClientTokensTest, KeepsAskingAMetadataServerThatAnsweredBefore) {
  int asked = 0;
  testing::DrivenTiming timing;
  testing::TokenService service([&](const HttpRequest&) -> Result<HttpResponse> {
    if (++asked > 1 && asked < 8) return HttpResponse{.status = 503};
    auto answer = testing::TokenAnswer("t", 3600);
    answer.headers = {{"metadata-flavor", "Google"}};
    return answer;
  });
  const auto source = internal::MakeTokenSource({.kind = internal::MetadataServer{"127.0.0.1", ""}}, false);
  EXPECT_TRUE(source->Fetch({service, timing, {}, {}}).ok());
  EXPECT_TRUE(source->Fetch({service, timing, {}, {}}).ok());
  EXPECT_EQ(asked, 8);
}

}  // namespace
}  // namespace gcsflux
