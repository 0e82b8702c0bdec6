// Signed URLs: the signer, its key, and that OpenSSL accepts the signature.
#include "gcsflux/signed_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <nlohmann/json.hpp>

#include "auth/token_service.h"
#include "base/sha256.h"
#include "base/text/base64.h"
#include "client/client_core.h"
#include "emulator/support/crypto_fixtures.h"
#include "support/borrowed_transport.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using emulator::TestKey;
using internal::HttpRequest;
using internal::HttpResponse;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kRobot = "robot@project.iam.gserviceaccount.com";
constexpr auto kTokenUrl = "https://oauth2.googleapis.com/token";
constexpr auto kStsUrl = "https://sts.googleapis.com/v1/token";
constexpr auto kSubjectUrl = "https://ci.example.com/subject";
constexpr auto kIam = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/";
const ObjectName kObject{"bkt", "a/b c"};

// By OpenSSL only: the signer does not verify itself.
bool Verifies(const std::string& text, const std::string& signature) {
  const std::string& pem = TestKey(1).public_key;
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                      &BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const auto bytes = [](const std::string& s) { return reinterpret_cast<const unsigned char*>(s.data()); };
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text), text.size()) == 1;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
  }
  return bytes;
}

// What a service does with a URL of one signed header: it rebuilds the signed text from the URL only.
bool IsGood(const std::string& url, const std::string& method, const std::string& host) {
  const std::string origin = "https://" + host;
  if (!url.starts_with(origin + "/")) return false;
  const auto question = url.find('?');
  const auto signature_at = url.find("&X-Goog-Signature=");
  if (question == std::string::npos || signature_at == std::string::npos) return false;
  const std::string path = url.substr(origin.size(), question - origin.size());
  const std::string query = url.substr(question + 1, signature_at - question - 1);
  const std::string request = method + "\n" + path + "\n" + query + "\nhost:" + host + "\n\nhost\nUNSIGNED-PAYLOAD";
  const std::string text =
      "GOOG4-RSA-SHA256\n20261120T000001Z\n20261120/auto/storage/goog4_request\n" + internal::Sha256Hex(request);
  return Verifies(text, FromHex(url.substr(signature_at + 18)));
}

class SignedUrlTest : public ::testing::Test {
 protected:
  // IAM Credentials, the token endpoints and the metadata server in one, all in memory.
  HttpResponse Answer(const HttpRequest& request) {
    if (request.url == kSubjectUrl) return {.status = 200, .body = "the-workloads-own-token"};
    if (request.url == kStsUrl) return testing::TokenAnswer("token-of-the-workload", 3600);
    if (request.url == kTokenUrl) return testing::TokenAnswer("token-of-the-user", 3600);
    if (request.url.ends_with("/token")) {
      HttpResponse token = testing::TokenAnswer("token-of-the-machine", 3600);
      token.headers = {{"metadata-flavor", "Google"}};
      return token;
    }
    if (request.url.ends_with("/email")) {
      return {.status = 200, .headers = {{"metadata-flavor", "Google"}}, .body = std::string(kRobot) + "\n"};
    }
    if (refusal_) return *refusal_;
    const std::string payload =
        internal::Base64Decode(json::parse(request.head).at("payload").get<std::string>()).value();
    const auto key = internal::RsaKey::FromPem(TestKey(1).private_key);
    return {.status = 200,
            .body = json{{"keyId", "1"}, {"signedBlob", internal::Base64Encode(*key->SignSha256(payload))}}.dump()};
  }

  Client MakeClient(const internal::CredentialConfig& config) {
    service_ = std::make_unique<testing::TokenService>(
        [this](const HttpRequest& request) -> Result<HttpResponse> { return Answer(request); });
    auto source = internal::MakeTokenSource(config, false);
    internal::Authorization authorization;
    if (source) {
      authorization.tokens = std::make_shared<internal::TokenCache>(std::move(source));
      authorization.signer = internal::MakeBlobSigner(config, authorization.tokens);
    }
    ClientCore::Settings settings{.endpoint = "https://storage.googleapis.com",
                                  .project = "project",
                                  .authorization = std::move(authorization),
                                  .retry = RetryPolicies::All({.deadline = std::chrono::seconds(20)})};
    return ClientOf(std::make_shared<const ClientCore>(std::move(settings),
                                                       std::make_unique<testing::BorrowedTransport>(*service_),
                                                       std::make_unique<testing::DrivenTiming>()));
  }

  static internal::CredentialConfig Key() {
    return {.kind = internal::ServiceAccountKey{kRobot, "key-1", internal::RsaKey::FromPem(TestKey(1).private_key),
                                                kTokenUrl}};
  }
  static internal::CredentialConfig User() {
    return {.kind = internal::AuthorizedUser{"client", "the-secret-of-it", "the-refresh-token", kTokenUrl}};
  }

  static internal::ExternalAccount TaskSource() {
    return {.audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/ci",
            .subject_token_type = "urn:ietf:params:oauth:token-type:jwt",
            .token_url = kStsUrl,
            .source = {.url = kSubjectUrl}};
  }

  std::unique_ptr<testing::TokenService> service_;
  std::optional<HttpResponse> refusal_;
};

TEST_F(SignedUrlTest, SignsWithAKeyWithoutARequest) {
  const Client client = MakeClient(Key());
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE"}) {
    const auto url = SignUrl(client, kObject, {.method = method, .query = {{"generation", "7"}}});
    ASSERT_TRUE(url.ok()) << url.error().message;
    EXPECT_TRUE(IsGood(*url, method, "storage.googleapis.com")) << *url;
    EXPECT_THAT(*url, AllOf(HasSubstr("/bkt/a/b%20c?"), HasSubstr("X-Goog-Expires=900&"), HasSubstr("generation=7")));
  }
  EXPECT_TRUE(service_->requests().empty());
}

TEST_F(SignedUrlTest, SignatureCoversTheWholeUrl) {
  const auto url = SignUrl(MakeClient(Key()), kObject);
  ASSERT_TRUE(url.ok());
  for (const auto& [from, to] : {std::pair("a/b%20c", "a/b%20d"), {"Expires=900", "Expires=901"}, {"robot", "rabot"}}) {
    std::string other = *url;
    other.replace(other.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(IsGood(other, "GET", "storage.googleapis.com")) << other;
  }
  EXPECT_FALSE(IsGood(*url, "PUT", "storage.googleapis.com"));
}

TEST_F(SignedUrlTest, StartOfAnUploadSignsTheResumableHeader) {
  const auto url = SignUrl(MakeClient(Key()), kObject, {.method = "POST", .headers = {{"Content-Type", "text/plain"}}});
  ASSERT_TRUE(url.ok());
  EXPECT_THAT(*url, HasSubstr("X-Goog-SignedHeaders=content-type%3Bhost%3Bx-goog-resumable&"));
}

TEST_F(SignedUrlTest, SupportsVirtualHostedUrls) {
  const auto url = SignUrl(MakeClient(Key()), kObject, {.is_virtual_hosted = true});
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(IsGood(*url, "GET", "bkt.storage.googleapis.com")) << *url;
  EXPECT_THAT(*url, HasSubstr("googleapis.com/a/b%20c?"));
}

TEST_F(SignedUrlTest, SignsByIamForTheMachinesAccount) {
  const auto url = SignUrl(MakeClient({.kind = internal::MetadataServer{.host = "169.254.169.254"}}), kObject);
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_TRUE(IsGood(*url, "GET", "storage.googleapis.com")) << *url;
  const HttpRequest asked = service_->requests().back();
  EXPECT_EQ(asked.url, std::string(kIam) + "robot%40project.iam.gserviceaccount.com:signBlob");
  EXPECT_THAT(asked.headers, ::testing::Contains(::testing::Pair("Authorization", "Bearer token-of-the-machine")));
}

TEST_F(SignedUrlTest, SignsByIamWithTheImpersonatingAccount) {
  const internal::Impersonation impersonation{.url = std::string(kIam) + kRobot + ":generateAccessToken",
                                              .delegates = {"d@p"}};
  const internal::CredentialConfig config{.kind = internal::ImpersonatedServiceAccount{
                                              std::make_shared<internal::CredentialConfig>(User()), impersonation}};
  const auto url = SignUrl(MakeClient(config), kObject);
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_TRUE(IsGood(*url, "GET", "storage.googleapis.com")) << *url;
  const HttpRequest asked = service_->requests().back();
  EXPECT_EQ(asked.url, std::string(kIam) + kRobot + ":signBlob");
  EXPECT_THAT(asked.headers, ::testing::Contains(::testing::Pair("Authorization", "Bearer token-of-the-user")));
  EXPECT_EQ(json::parse(asked.head).at("delegates"), json::array({"projects/-/serviceAccounts/d@p"}));
}

TEST_F(SignedUrlTest, SignsByIamForAnImpersonatingExternalAccount) {
  internal::ExternalAccount workload = TaskSource();
  workload.impersonation = {.url = std::string(kIam) + kRobot + ":generateAccessToken"};
  const auto url = SignUrl(MakeClient({.kind = workload}), kObject);
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_TRUE(IsGood(*url, "GET", "storage.googleapis.com")) << *url;
  const HttpRequest asked = service_->requests().back();
  EXPECT_EQ(asked.url, std::string(kIam) + kRobot + ":signBlob");
  EXPECT_THAT(asked.headers, ::testing::Contains(::testing::Pair("Authorization", "Bearer token-of-the-workload")));
}

TEST_F(SignedUrlTest, ExternalAccountMustNameTheSigningAccount) {
  const Client client = MakeClient({.kind = TaskSource()});
  EXPECT_EQ(testing::ErrorOf(SignUrl(client, kObject)).code, ErrorCode::kInvalidArgument);
  const auto url = SignUrl(client, kObject, {.service_account = kRobot});
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_TRUE(IsGood(*url, "GET", "storage.googleapis.com")) << *url;
}

TEST_F(SignedUrlTest, UserMustNameTheSigningAccount) {
  const Client client = MakeClient(User());
  EXPECT_TRUE(testing::FailsWith(SignUrl(client, kObject), ErrorCode::kInvalidArgument, HasSubstr("service_account")));
  const auto url = SignUrl(client, kObject, {.service_account = kRobot});
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_TRUE(IsGood(*url, "GET", "storage.googleapis.com"));
}

TEST_F(SignedUrlTest, NamesTheMissingIamPermission) {
  const Client client = MakeClient(User());
  refusal_ = HttpResponse{
      .status = 403,
      .body =
          R"({"error":{"status":"PERMISSION_DENIED","message":"token-of-the-user may not iam.serviceAccounts.signBlob"}})"};
  EXPECT_TRUE(testing::FailsWith(
      SignUrl(client, kObject, {.service_account = kRobot}), ErrorCode::kUnauthenticated,
      AllOf(HasSubstr("gs://bkt/a/b c"), HasSubstr("no signature from"), HasSubstr("PERMISSION_DENIED"),
            HasSubstr("roles/iam.serviceAccountTokenCreator"), Not(HasSubstr("token-of-the-user")))));
  refusal_ = HttpResponse{.status = 200, .body = R"({"signedBlob":"%%%"})"};
  EXPECT_EQ(testing::ErrorOf(SignUrl(client, kObject, {.service_account = kRobot})).code, ErrorCode::kBadResponse);
  refusal_ = HttpResponse{.status = 503};
  EXPECT_EQ(testing::ErrorOf(SignUrl(client, kObject, {.service_account = kRobot})).code, ErrorCode::kTokenUnavailable);
}

TEST_F(SignedUrlTest, RefusesInvalidOptions) {
  using std::chrono::seconds;
  const Client client = MakeClient(Key());
  const SignedUrlOptions wrong[] = {{.method = "PATCH"},
                                    {.method = "get"},
                                    {.lifetime = seconds(0)},
                                    {.lifetime = seconds(-1)},
                                    {.lifetime = seconds(604'801)},
                                    {.headers = {{"Host", "h"}}},
                                    {.query = {{"X-Goog-Expires", "9"}}},
                                    {.service_account = "robot"},
                                    {.service_account = "a/b@c"}};
  for (const SignedUrlOptions& options : wrong) {
    EXPECT_EQ(testing::ErrorOf(SignUrl(client, kObject, options)).code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(testing::ErrorOf(SignUrl(client, {"bkt", ""})).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(SignUrl(client, kObject, {.lifetime = seconds(604'800)}).ok());
  const Client anonymous = MakeClient({.kind = internal::AnonymousAccess{}});
  EXPECT_EQ(testing::ErrorOf(SignUrl(anonymous, kObject)).code, ErrorCode::kUnauthenticated);
}

TEST(SignedUrlOfClient, IsNotVirtualHostedAtAnIpAddress) {
  const auto client =
      Client::Create({.endpoint = "http://127.0.0.1:1", .credentials = Credentials::AccessToken("token")});
  ASSERT_TRUE(client.ok());
  const auto url = SignUrl(*client, kObject, {.is_virtual_hosted = true, .service_account = kRobot});
  ASSERT_FALSE(url.ok());
  EXPECT_THAT(url.error().message, HasSubstr("IP address"));
}

}  // namespace
}  // namespace gcsflux
