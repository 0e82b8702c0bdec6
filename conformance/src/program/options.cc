#include "program/options.h"

#include <gflags/gflags.h>

#include <string_view>

#include "gcsflux/flags.h"

DEFINE_string(
    endpoint, "",
    "Service to test, http(s)://host[:port]. Set it to test another one than the emulator inside this process.");
DEFINE_string(project, "gcsflux-conformance",
              "Project that owns the buckets. With a real service, set it to your own.");
DEFINE_string(access_token_file, "",
              "File that holds an OAuth2 access token. Set it for a real service, which needs one.");
DEFINE_string(bucket_prefix, "gcsflux-conformance",
              "Buckets are called NAME-RUN-NUMBER, with this NAME. Change it to tell your runs apart.");
DEFINE_string(cases, "", "File or directory of cases. Set it to run them instead of the built-in ones.");
DEFINE_string(retry_tests, "",
              "File of retry scenarios, as Google tests its clients. Set it to run them through the SDK instead of "
              "cases.");
DEFINE_int32(case_timeout_s, 300, "Seconds, 1 to 86400, that a case may take, and again its cleaning. Then it fails.");
DEFINE_int32(timeout_s, 3600,
             "Seconds, 1 to 86400, that the run may take. Then the rest is skipped, which is status 1.");
DEFINE_string(filter, "*", "Glob over the names of cases, such as 'listing/*'. Set it to run only some.");
DEFINE_bool(list, false, "Prints the names and claims of the cases, and runs none.");
DECLARE_bool(version);  // gflags defines it.

namespace gcsflux::conformance {
namespace {

/// The "host:port" of an endpoint that has nothing after it. Empty if it is not such an endpoint.
std::string_view Authority(std::string_view endpoint) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!endpoint.starts_with(scheme)) continue;
    const std::string_view authority = endpoint.substr(scheme.size());
    return authority.find_first_of("/?#@\\ \t\n") == authority.npos ? authority : std::string_view();
  }
  return {};
}

bool IsBucketPrefix(std::string_view prefix) {
  // 63 characters less what the program adds: "-", 8 of the run, "-", up to 4 of the case.
  constexpr std::size_t kMaxBytes = 49;
  return !prefix.empty() && prefix.size() <= kMaxBytes && prefix[0] != '-' &&
         prefix.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == prefix.npos;
}

OrError<std::chrono::seconds> Seconds(const char* flag, int value) {
  if (value >= 1 && value <= 86'400) return std::chrono::seconds(value);
  return Failed(std::string("--") + flag + " must be 1 to 86400 seconds, not '" + std::to_string(value) + "'");
}

OrError<void> CheckTogether(Options& options) {
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  if (!options.endpoint.empty() && Authority(options.endpoint).empty()) {
    return Failed("--endpoint must be http://host:port or https://host:port, without a path");
  }
  if (!IsBucketPrefix(options.bucket_prefix)) {
    return Failed("--bucket_prefix must be 1 to 49 lower-case letters, digits and dashes, and not begin with a dash");
  }
  if (!options.access_token_file.empty() && IsPlainHttpBeyondLoopback(options.endpoint)) {
    return Failed("--access_token_file is for https endpoints: plain http would show the token to the network");
  }
  if (!options.retry_tests.empty() && !options.cases.empty()) {
    return Failed("--retry_tests and --cases exclude each other: run them one after the other");
  }
  return {};
}

}  // namespace

bool IsPlainHttpBeyondLoopback(const std::string& endpoint) {
  if (!endpoint.starts_with("http://")) return false;
  const std::string_view authority = Authority(endpoint);
  const std::size_t port = authority.find_last_not_of("0123456789");
  const bool has_port = port != authority.npos && authority[port] == ':';
  const std::string_view host = has_port ? authority.substr(0, port) : authority;
  // An address, not a name that begins like one: "127.0.0.1.example.com" can be any machine.
  const bool is_loopback_address = host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
  return !is_loopback_address && host != "localhost" && host != "[::1]";
}

OrError<Options> ParseOptions(int argc, const char* const* argv) {
  const auto rest = ParseFlags(argc, argv);
  if (!rest) return Failed(rest.error().message);
  if (!rest->empty()) return Failed("unexpected argument '" + rest->front() + "'");
  const auto case_timeout = Seconds("case_timeout_s", FLAGS_case_timeout_s);
  if (!case_timeout) return Failed(case_timeout.error());
  const auto timeout = Seconds("timeout_s", FLAGS_timeout_s);
  if (!timeout) return Failed(timeout.error());
  Options options{.endpoint = FLAGS_endpoint,
                  .project = FLAGS_project,
                  .access_token_file = FLAGS_access_token_file,
                  .bucket_prefix = FLAGS_bucket_prefix,
                  .cases = FLAGS_cases,
                  .retry_tests = FLAGS_retry_tests,
                  .case_timeout = *case_timeout,
                  .timeout = *timeout,
                  .filter = FLAGS_filter,
                  .list = FLAGS_list,
                  .version = FLAGS_version,
                  .help = HelpRequested()};
  if (auto checked = CheckTogether(options); !checked) return Failed(checked.error());
  return options;
}

std::string Usage() {
  return "Usage: gcsflux-conformance [flags]\n\n"
         "Checks by raw HTTP that a service keeps Google Cloud Storage's contract. With\n"
         "--retry_tests, checks that the SDK does what Google's clients do if requests fail. --version prints the\n"
         "version.\n\n" +
         FlagsHelp(__FILE__) +
         "\nExit status: 0 all cases passed; 1 a case failed, the run was cut short, or the endpoint cannot be "
         "reached;\n"
         "2 wrong usage; 3 all cases passed, but a bucket may be left behind, which is named on stderr.\n"
         "The last line is \"N passed, N failed, N skipped\".\n";
}

}  // namespace gcsflux::conformance
