// The credentials of a client, by its options and its environment.
#include "client/authorization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Variables = std::map<std::string, std::string>;

constexpr auto kGoogle = "https://storage.googleapis.com";
constexpr auto kUser = R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r",
                          "quota_project_id":"of-file"})";

Result<Authorization> Resolve(const ClientOptions& options, const std::string& endpoint, Variables variables) {
  const GetEnv env = [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const ReadFile read = [](const std::string& path) -> Result<std::optional<std::string>> {
    return path == "/user.json" ? std::optional<std::string>(kUser) : std::nullopt;
  };
  return ResolveAuthorization(options, endpoint, env, read);
}

bool IsAnonymous(const Result<Authorization>& authorization) {
  EXPECT_TRUE(authorization.ok()) << authorization.error().message;
  return authorization.ok() && authorization->tokens == nullptr;
}

const Variables kUserVariable = {{"GOOGLE_APPLICATION_CREDENTIALS", "/user.json"}};

TEST(ResolveAuthorization, UsesDefaultCredentialsExceptForEmulators) {
  EXPECT_FALSE(IsAnonymous(Resolve({}, kGoogle, kUserVariable)));
  EXPECT_FALSE(IsAnonymous(Resolve({}, kGoogle, {}))) << "the metadata server is asked when a call needs a token";
  EXPECT_TRUE(IsAnonymous(Resolve({}, "http://127.0.0.1:9", kUserVariable)));
  EXPECT_TRUE(IsAnonymous(Resolve({}, "http://example.com", kUserVariable)));
  for (const char* variable :
       {"STORAGE_EMULATOR_HOST", "CLOUD_STORAGE_EMULATOR_ENDPOINT", "CLOUD_STORAGE_TESTBENCH_ENDPOINT"}) {
    Variables variables = kUserVariable;
    variables[variable] = "https://emulator";
    EXPECT_TRUE(IsAnonymous(Resolve({}, "https://emulator", variables))) << variable;
    variables["GOOGLE_APPLICATION_CREDENTIALS"] = "/nonexistent";
    EXPECT_TRUE(IsAnonymous(Resolve({}, "https://emulator", variables))) << variable << ": nothing is looked at";
  }
}

TEST(ResolveAuthorization, UsesTheGivenCredentials) {
  const Variables emulator = {{"STORAGE_EMULATOR_HOST", "127.0.0.1:9"},
                              {"GOOGLE_APPLICATION_CREDENTIALS", "/user.json"}};
  EXPECT_FALSE(IsAnonymous(Resolve({.credentials = Credentials::AccessToken("t")}, "http://127.0.0.1:9", emulator)));
  EXPECT_FALSE(
      IsAnonymous(Resolve({.credentials = Credentials::ApplicationDefault()}, "http://127.0.0.1:9", emulator)));
  EXPECT_TRUE(IsAnonymous(Resolve({.credentials = Credentials::Anonymous()}, kGoogle, kUserVariable)));
}

TEST(ResolveAuthorization, SendsNoTokenOverPlainHttpBeyondThisMachine) {
  for (const auto& credentials : {Credentials::AccessToken("s3cret"), Credentials::ApplicationDefault()}) {
    EXPECT_TRUE(testing::FailsWith(Resolve({.credentials = credentials}, "http://example.com", kUserVariable),
                                   ErrorCode::kInvalidArgument,
                                   AllOf(HasSubstr("http://example.com"), Not(HasSubstr("s3cret")))));
  }
}

TEST(ResolveAuthorization, NamesAMissingFile) {
  EXPECT_TRUE(testing::FailsWith(Resolve({}, kGoogle, {{"GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent"}}),
                                 ErrorCode::kLocalIo,
                                 AllOf(HasSubstr("/nonexistent"), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS"))));
}

TEST(ResolveAuthorization, RefusesATokenThatAHeaderCannotHold) {
  for (const char* token : {"", "a b", "s3cret\r\nX: y"}) {
    EXPECT_TRUE(testing::FailsWith(Resolve({.credentials = Credentials::AccessToken(token)}, kGoogle, {}),
                                   ErrorCode::kInvalidArgument, Not(HasSubstr("s3cret"))))
        << token;
  }
}

TEST(ResolveAuthorization, FindsTheQuotaProjectInOptionVariableThenFile) {
  Variables variables = kUserVariable;
  EXPECT_EQ(Resolve({}, kGoogle, variables)->quota_project, "of-file");
  variables["GOOGLE_CLOUD_QUOTA_PROJECT"] = "of-env";
  EXPECT_EQ(Resolve({}, kGoogle, variables)->quota_project, "of-env");
  EXPECT_EQ(Resolve({.quota_project = "of-option"}, kGoogle, variables)->quota_project, "of-option");
  EXPECT_EQ(Resolve({.credentials = Credentials::Anonymous()}, kGoogle, variables)->quota_project, "");
  EXPECT_FALSE(Resolve({.quota_project = "a\r\nb: c"}, kGoogle, variables).ok());
  EXPECT_FALSE(Resolve({.credentials = Credentials::Anonymous(), .quota_project = "a\r\nb"}, kGoogle, {}).ok());
}

TEST(CredentialsFromFile, NamesTheErrorOfTheFile) {
  EXPECT_TRUE(testing::FailsWith(Credentials::FromFile("/nonexistent/key.json"), ErrorCode::kLocalIo,
                                 HasSubstr("'/nonexistent/key.json' (Credentials::FromFile) is not there")));
}

}  // namespace
}  // namespace gcsflux::internal
