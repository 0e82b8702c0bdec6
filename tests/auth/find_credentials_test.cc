// Where Application Default Credentials are searched, with an environment and files of the test.
#include "auth/find_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "auth/credential_files.h"
#include "emulator/support/identity_fixture.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Variables = std::map<std::string, std::string>;
using Files = std::map<std::string, std::string>;

constexpr auto kHere = "https://127.0.0.1:9";

Result<CredentialConfig> Find(const Variables& variables, const Files& files) {
  const GetEnv env = [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  const ReadFile read = [&](const std::string& path) -> Result<std::optional<std::string>> {
    if (path == "/locked") return Error{ErrorCode::kLocalIo, "cannot be opened: Permission denied"};
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  };
  return FindApplicationDefault(env, read);
}

template <class Kind>
bool Is(const Result<CredentialConfig>& config) {
  return config.ok() && std::holds_alternative<Kind>(config->kind);
}

class FindCredentials : public ::testing::Test {
 protected:
  const std::string key_ = testing::ServiceAccountFile(kHere).dump();
  const std::string user_ = testing::AuthorizedUserFile(kHere).dump();
  const Files files_ = {{"/key.json", key_},
                        {"/home/.config/gcloud/application_default_credentials.json", user_},
                        {"/sdk/application_default_credentials.json", key_},
                        {"/broken", "{\"type\": \"authorized_user\", \"client_secret\": \"evil-secret\"}"}};
};

TEST_F(FindCredentials, SearchesVariableThenGcloudsFileThenMetadata) {
  EXPECT_TRUE(
      Is<ServiceAccountKey>(Find({{"GOOGLE_APPLICATION_CREDENTIALS", "/key.json"}, {"HOME", "/home"}}, files_)));
  EXPECT_TRUE(Is<AuthorizedUser>(Find({{"HOME", "/home"}}, files_)));
  EXPECT_TRUE(Is<AuthorizedUser>(Find({{"GOOGLE_APPLICATION_CREDENTIALS", ""}, {"HOME", "/home"}}, files_)));
  EXPECT_TRUE(Is<ServiceAccountKey>(Find({{"CLOUDSDK_CONFIG", "/sdk"}, {"HOME", "/home"}}, files_)));
  EXPECT_TRUE(Is<MetadataServer>(Find({{"HOME", "/nobody"}}, files_)));
  EXPECT_TRUE(Is<MetadataServer>(Find({}, files_)));
}

TEST_F(FindCredentials, UsesTheMetadataHostOfTheEnvironment) {
  EXPECT_EQ(std::get<MetadataServer>(Find({}, {})->kind).host, "169.254.169.254");
  EXPECT_EQ(std::get<MetadataServer>(Find({{"GCE_METADATA_HOST", "127.0.0.1:99"}}, {})->kind).host, "127.0.0.1:99");
  EXPECT_TRUE(testing::FailsWith(Find({{"GCE_METADATA_HOST", "evil.com"}}, {}), ErrorCode::kInvalidArgument,
                                 HasSubstr("GCE_METADATA_HOST")));
}

TEST_F(FindCredentials, RecordsThePlacesSearched) {
  EXPECT_THAT(std::get<MetadataServer>(Find({{"HOME", "/nobody"}}, {})->kind).looked_at,
              AllOf(HasSubstr("GOOGLE_APPLICATION_CREDENTIALS is not set"),
                    HasSubstr("/nobody/.config/gcloud/application_default_credentials.json")));
  EXPECT_THAT(std::get<MetadataServer>(Find({}, {})->kind).looked_at, HasSubstr("HOME"));
}

TEST_F(FindCredentials, FailsAtABrokenCredentialFile) {
  struct Case {
    const char* name;
    Variables variables;
    ErrorCode code;
    const char* says;
  };
  const std::vector<Case> cases = {
      {"not there", {{"GOOGLE_APPLICATION_CREDENTIALS", "/none"}}, ErrorCode::kLocalIo, "'/none'"},
      {"not readable", {{"GOOGLE_APPLICATION_CREDENTIALS", "/locked"}}, ErrorCode::kLocalIo, "Permission denied"},
      {"broken", {{"GOOGLE_APPLICATION_CREDENTIALS", "/broken"}}, ErrorCode::kInvalidArgument, "client_id"}};
  for (const Case& bad : cases) {
    Variables variables = bad.variables;
    variables["HOME"] = "/home";
    EXPECT_TRUE(testing::FailsWith(
        Find(variables, files_), bad.code,
        AllOf(HasSubstr(bad.says), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS"), Not(HasSubstr("evil-secret")))))
        << bad.name;
  }
  const auto gcloud = Find({{"CLOUDSDK_CONFIG", "/bad"}}, {{"/bad/application_default_credentials.json", "{}"}});
  ASSERT_FALSE(gcloud.ok());
  EXPECT_THAT(gcloud.error().message, AllOf(HasSubstr("/bad/application_default_credentials.json"),
                                            HasSubstr("gcloud auth application-default login")));
}

TEST(ReadLocalFile, DistinguishesAbsentFromUnreadable) {
  const auto none = ReadLocalFile("/nonexistent/file");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(testing::ErrorOf(ReadLocalFile("/")).code, ErrorCode::kLocalIo);
  EXPECT_EQ(testing::ErrorOf(ReadLocalFile("/dev/zero")).code, ErrorCode::kLocalIo) << "has no end";
}

}  // namespace
}  // namespace gcsflux::internal
