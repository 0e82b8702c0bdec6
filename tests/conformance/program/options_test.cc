#include "program/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gcsflux::conformance {
namespace {

OrError<Options> Parse(std::vector<const char*> arguments) {
  const gflags::FlagSaver saver;
  arguments.insert(arguments.begin(), "gcsflux-conformance");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ParseOptions, AcceptsBothSpellingsOfAValue) {
  const auto options = Parse({"--endpoint=http://127.0.0.1:1234/", "--project", "mine", "--filter=a*=b", "--list"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->endpoint, "http://127.0.0.1:1234");
  EXPECT_EQ(options->project, "mine");
  EXPECT_EQ(options->filter, "a*=b");
  EXPECT_TRUE(options->list);
  EXPECT_FALSE(options->help);
}

TEST(ParseOptions, NamesTheWrongArgument) {
  const std::pair<std::vector<const char*>, const char*> cases[] = {
      {{"--endpont=http://a"}, "unknown flag --endpont; did you mean --endpoint?"},
      {{"names"}, "unexpected argument 'names'"},
      {{""}, "unexpected argument ''"},
      {{"=x"}, "unexpected argument '=x'"},
      {{"--project"}, "flag --project needs a value"},
      {{"--list=perhaps"}, "flag --list cannot be 'perhaps': it takes a value of type bool"},
      {{"--endpoint=127.0.0.1:80"}, "--endpoint must be"},
      {{"--endpoint=http://a/storage/v1"}, "--endpoint must be"},
      {{"--bucket_prefix=Upper"}, "--bucket_prefix must be"},
      {{"--bucket_prefix=0123456789012345678901234567890123456789012345678x"}, "--bucket_prefix must be"},
      {{"--timeout_s=0"}, "--timeout_s must be 1 to 86400 seconds, not '0'"},
      {{"--case_timeout_s=86401"}, "--case_timeout_s must be"},
      {{"--case_timeout_s=1s"}, "flag --case_timeout_s cannot be '1s'"},
      {{"--jobs=0"}, "--jobs must be 1 to 64"},
      {{"--form=maybe"}, "--form must be fail or report"},
      {{"--max_requests=-1"}, "--max_requests must not be negative"},
      {{"--clean"}, "--clean and --bucket need an --endpoint"},
      {{"--bucket=b"}, "--clean and --bucket need an --endpoint"},
      {{"--retry_tests=a.json", "--jobs=2", "--endpoint=http://a"}, "--jobs with --retry_tests needs the embedded"},
      {{"--retry_tests=a.json", "--dry_run"}, "--retry_tests excludes --bucket and --dry_run"},
      {{"--access_token_file=t", "--endpoint=http://example.com"}, "--access_token_file is for https"},
  };
  for (const auto& [arguments, problem] : cases) {
    const auto options = Parse(arguments);
    ASSERT_FALSE(options) << problem;
    EXPECT_THAT(options.error(), ::testing::StartsWith(problem));
  }
}

TEST(ParseOptions, AllowsATokenOnlyOverTlsOrLoopback) {
  EXPECT_TRUE(Parse({"--access_token_file=t", "--endpoint=https://storage.googleapis.com"}));
  EXPECT_TRUE(Parse({"--access_token_file=t", "--endpoint=http://127.0.0.1:80"}));
  EXPECT_TRUE(Parse({"--access_token_file=t", "--endpoint=http://[::1]:80"}));
  EXPECT_TRUE(Parse({"--access_token_file=t"}));
  EXPECT_FALSE(Parse({"--access_token_file=t", "--endpoint=http://127.0.0.1.example.com"}));
  EXPECT_FALSE(Parse({"--access_token_file=t", "--endpoint=http://localhost@example.com"}));
}

TEST(Usage, NamesEveryFlag) {
  for (const char* flag : {"--endpoint (",
                           "--project (",
                           "--access_token_file (",
                           "--bucket_prefix (",
                           "--cases (",
                           "--retry_tests (",
                           "--case_timeout_s (",
                           "--timeout_s (",
                           "--filter (",
                           "--list (",
                           "--version",
                           "--tags (",
                           "--bucket (",
                           "--endpoint_profile (",
                           "--baseline (",
                           "--form (",
                           "--report (",
                           "--jobs (",
                           "--max_requests (",
                           "--dry_run (",
                           "--clean ("}) {
    EXPECT_THAT(Usage(), ::testing::HasSubstr(flag));
  }
}

}  // namespace
}  // namespace gcsflux::conformance
