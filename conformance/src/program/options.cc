#include "program/options.h"

#include <gflags/gflags.h>

#include <sstream>
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
DEFINE_string(
    tags, "",
    "Comma-separated globs over operations, subjects and tags of cases, such as 'storage.objects.*,xml_delete'. "
    "Set it to run only the cases that have one.");
DEFINE_string(
    bucket, "",
    "Existing bucket that the cases share: they use names below a random prefix only, and remove those. Set it "
    "if you may not make buckets. Cases that need a bucket of their own do not apply.");
DEFINE_string(
    endpoint_profile, "",
    "What is known of the endpoint: gcs, emulator, testbench, or a .json file. Set it to see only what is new.");
DEFINE_string(baseline, "",
              "Report (.json) of an earlier run. What failed or differed there is known. Set it if only new failures "
              "should fail the run.");
DEFINE_string(form, "fail",
              "fail or report: whether a difference of form that is not known fails the run. Set report to judge an "
              "endpoint by its behaviour.");
DEFINE_string(report, "", "Comma-separated files to write: .json, .xml (JUnit) or .html. No secret is in them.");
DEFINE_int32(jobs, 1, "Cases at the same time, 1 to 64. Raise it if the endpoint is far away. The output is the same.");
DEFINE_int64(max_requests, 0,
             "Requests after which the run is cut short, which is status 1; what was made is still removed. 0 is no "
             "limit. Set it to bound what a run may cost.");
DEFINE_bool(dry_run, false,
            "Prints how many operations the cases send, by billing class, and their price. Sends nothing.");
DEFINE_bool(clean, false,
            "Removes what ended runs with this --bucket_prefix have left, by the marker that each run writes, and runs "
            "no case. Set it after a run was killed.");
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

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    if (!item.empty()) items.push_back(item);
  }
  return items;
}

OrError<void> CheckModes(const Options& options) {
  const bool has_retry_tests = !options.retry_tests.empty();
  if (options.jobs < 1 || options.jobs > 64) {
    return Failed("--jobs must be 1 to 64, not '" + std::to_string(options.jobs) + "'");
  }
  if (FLAGS_form != "fail" && FLAGS_form != "report") return Failed("--form must be fail or report");
  if (options.max_requests < 0) return Failed("--max_requests must not be negative");
  if (has_retry_tests && options.jobs > 1 && !options.endpoint.empty()) {
    return Failed("--jobs with --retry_tests needs the embedded emulator: fault plans are those of a whole service");
  }
  if (has_retry_tests && (!options.bucket.empty() || options.dry_run)) {
    return Failed("--retry_tests excludes --bucket and --dry_run: its calls make buckets, and repeat requests");
  }
  if (options.endpoint.empty() && (options.clean || !options.bucket.empty())) {
    return Failed("--clean and --bucket need an --endpoint: the embedded emulator is empty");
  }
  return {};
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
  return CheckModes(options);
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
                  .tags = Split(FLAGS_tags),
                  .bucket = FLAGS_bucket,
                  .endpoint_profile = FLAGS_endpoint_profile,
                  .baseline = FLAGS_baseline,
                  .form_fails = FLAGS_form == "fail",
                  .reports = Split(FLAGS_report),
                  .jobs = FLAGS_jobs,
                  .max_requests = FLAGS_max_requests,
                  .list = FLAGS_list,
                  .dry_run = FLAGS_dry_run,
                  .clean = FLAGS_clean,
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
         "\nExit status: 0 all cases passed; 1 a case failed or differs in form (see --form), the run was cut short, "
         "or "
         "the\nendpoint cannot be reached; 2 wrong usage; 3 all cases passed, but a bucket may be left behind, which "
         "is "
         "named on\nstderr. The last line begins \"N passed, N failed, N skipped\"; known failures and differences of "
         "form follow, if there\nare any.\n";
}

}  // namespace gcsflux::conformance
