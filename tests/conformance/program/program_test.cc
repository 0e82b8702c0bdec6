// The program as its users run it: its output and its exit status.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "base/read_file.h"
#include "broken/small_server.h"
#include "case/case.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::conformance {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kWrongExpectation = GCSFLUX_TEST_CASES "/wrong_expectation.json";

struct Finished {
  int status = -1;
  std::string output = {};  ///< Standard output and error in the order of writing.
};

Finished RunProgram(const std::string& arguments) {
  Finished finished;
  FILE* program = popen((std::string(GCSFLUX_CONFORMANCE) + " " + arguments + " 2>&1").c_str(), "r");
  if (program == nullptr) return finished;
  std::array<char, 4096> buffer;
  while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), program))
    finished.output.append(buffer.data(), n);
  const int status = pclose(program);
  if (WIFEXITED(status)) finished.status = WEXITSTATUS(status);
  return finished;
}

/// A loopback port that refuses connections while this exists: it is bound, so no other process gets it, and nothing
/// listens on it.
class RefusingPort {
 public:
  RefusingPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(socket_, generic, size) != 0 || getsockname(socket_, generic, &size) != 0) ADD_FAILURE() << "no port";
    endpoint_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~RefusingPort() { close(socket_); }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] int socket() const { return socket_; }

 private:
  const int socket_;
  std::string endpoint_;
};

TEST(ConformanceProgram, RunsTheSelectedCases) {
  const Finished run = RunProgram("--filter='names/CaseMatters'");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.output, "ok   names/CaseMatters\n1 passed, 0 failed, 0 skipped\n");
}

TEST(ConformanceProgram, FailsForAWrongExpectation) {
  const Finished run = RunProgram("--cases=" + kWrongExpectation);
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("FAIL wrong_expectation/MediaIsWhatWasWritten: step 2, GET "
                                    "/storage/v1/b/{bucket}/o/a?alt=media: body: wanted \"wrong\", got \"right\""));
  EXPECT_THAT(run.output, HasSubstr("\nok   wrong_expectation/MissingObjectsAre404\n"));
  EXPECT_THAT(run.output, HasSubstr("\nskip wrong_expectation/SkippedWithoutAToken: needs access_token\n"));
  EXPECT_THAT(run.output, EndsWith("\n1 passed, 1 failed, 1 skipped\n"));
}

TEST(ConformanceProgram, RunsRetryTestsThroughTheSdk) {
  const Finished run = RunProgram("--retry_tests=" GCSFLUX_RETRY_TESTS
                                  "/public_scenarios.json --filter='1/storage.*.list*return-503,return-503]'");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("ok   1/storage.objects.list/ListObjects[return-503,return-503]\n"));
  EXPECT_THAT(run.output, HasSubstr("skip 1/storage.hmacKey.list[return-503,return-503]: the SDK has no such call\n"));
  EXPECT_THAT(run.output, EndsWith("\n3 passed, 0 failed, 5 skipped\n"));
}

TEST(ConformanceProgram, FailsForAWrongExpectationOfARetryTest) {
  const Finished run = RunProgram("--retry_tests=" GCSFLUX_TEST_CASES "/retry_tests/wrong_expectation.json");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("FAIL 1/storage.buckets.get/GetBucket[return-503]: the call succeeded, and was to "
                                    "fail\n     claim: reads are not repeated: fails\n"));
  EXPECT_THAT(run.output, EndsWith("\n0 passed, 1 failed, 0 skipped\n"));
}

TEST(ConformanceProgram, ReportsAnUnreachableEndpoint) {
  const RefusingPort port;
  const Finished run = RunProgram("--filter='names/*' --endpoint=" + port.endpoint());
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("cannot reach the service: no complete answer from " + port.endpoint()));
  EXPECT_THAT(run.output, ::testing::ContainsRegex("\n0 passed, 0 failed, [0-9]+ skipped\n$"));
}

TEST(ConformanceProgram, ReportsLeftoversByItsExitStatus) {
  const Finished finished = RunProgram("--cases=" GCSFLUX_TEST_CASES "/leaves_a_held_object.json");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("cannot empty the bucket gcsflux-conformance-"));
  EXPECT_THAT(finished.output, EndsWith("1 passed, 0 failed, 0 skipped\n"));
}

TEST(ConformanceProgram, StopsIfTheServiceDoesNotAnswer) {
  const RefusingPort silent;
  ASSERT_EQ(listen(silent.socket(), 1), 0);  // nothing accepts the connection
  const Finished finished = RunProgram("--case_timeout_s=1 --filter='compose/*' --endpoint=" + silent.endpoint());
  EXPECT_EQ(finished.status, 1) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("timed out"));
}

// The time ends while the first case is cleaned up, which may take longer than the run.
TEST(ConformanceProgram, SkipsTheRestAfterTheRunsTimeLimit) {
  emulator::Emulator service;
  service.faults().Load({.rules = {{.name = "slow cleaning",
                                    .match = {.operation = "storage.buckets.delete"},
                                    .action = {.type = "stall", .duration = std::chrono::milliseconds(3500)},
                                    .limits = {.count = 1}}}});
  const Finished run = RunProgram("--timeout_s=3 --filter='names/*' --endpoint=" + service.endpoint());
  EXPECT_EQ(service.faults().Fired("slow cleaning"), 1U);
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("the run's time is over: raise --timeout_s"));
  EXPECT_THAT(run.output, ::testing::ContainsRegex("\n1 passed, 0 failed, [1-9][0-9]* skipped\n$"));
}

TEST(ConformanceProgram, ReportsWrongUsage) {
  const std::pair<const char*, const char*> cases[] = {
      {"--no_such_flag", "unknown flag --no_such_flag"},
      {"--endpoint=ftp://x", "--endpoint must be"},
      {"--cases=/nonexistent.json", "/nonexistent.json: cannot be read"},
      {"--retry_tests=/nonexistent.json", "/nonexistent.json: cannot be read"},
      {"--retry_tests=" GCSFLUX_TEST_CASES "/wrong_expectation.json", "retryTests: must be a list, not empty"},
      {"--retry_tests=a.json --cases=b.json", "--retry_tests and --cases exclude each other"},
      {"--filter='nothing/*'", "matches no case"},
      {"--tags=nothing", "matches no case"},
      {"--report=/nonexistent/a.json", "/nonexistent/a.json cannot be written"},
      {"--report=a.txt", "a.txt must end in .json, .xml or .html"},
      {"--endpoint_profile=nothing", "there is no profile 'nothing'"},
      {"--baseline=/nonexistent.json", "/nonexistent.json: cannot be read"},
      {"--access_token_file=/nonexistent", "/nonexistent cannot be read"},
  };
  for (const auto& [arguments, problem] : cases) {
    const Finished run = RunProgram(arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_THAT(run.output, HasSubstr(problem)) << arguments;
    EXPECT_THAT(run.output, HasSubstr("--help")) << arguments;
  }
}

TEST(ConformanceProgram, TellsAnEndpointThatIsNotCloudStorageInOneMessage) {
  const SmallServer html([]() -> SmallServer::Handler {
    return [](const Request&) { return Response{.status = 200, .body = "<html>It works</html>"}; };
  });
  const emulator::Emulator plain;
  std::string tls = plain.endpoint();
  tls.replace(0, 4, "https");
  const std::pair<std::string, const char*> cases[] = {
      {html.endpoint(), "which is not JSON: this is not Cloud Storage"}, {tls, "cannot reach the service"}};
  for (const auto& [endpoint, why] : cases) {
    const Finished run = RunProgram("--endpoint=" + endpoint);
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.output, HasSubstr(why));
    EXPECT_THAT(run.output, ::testing::ContainsRegex("^[^\n]*\n0 passed, 0 failed, [0-9]+ skipped\n$"));
  }
}

TEST(ConformanceProgram, WritesReportsAndTakesOneAsTheBaseline) {
  const std::string report = testing::TempDir() + "conformance_report";
  const std::string arguments = "--cases=" + kWrongExpectation + " --endpoint_profile=emulator --report=" + report;
  const Finished first = RunProgram(arguments + ".json," + report + ".xml," + report + ".html");
  EXPECT_EQ(first.status, 1) << first.output;
  EXPECT_THAT(first.output, HasSubstr("lacks access_token\n"));
  const Json document = Json::parse(ReadFile(report + ".json").value_or("{}"));
  EXPECT_EQ(document["counts"], Json::parse(R"({"passed": 1, "failed": 1, "not applicable": 1})"));
  EXPECT_EQ(document["cases"][0]["exchanges"].size(), 3U);
  EXPECT_THAT(ReadFile(report + ".xml").value_or(""), HasSubstr("<failure message="));
  EXPECT_THAT(ReadFile(report + ".html").value_or(""), HasSubstr("<h2>Failures</h2>"));

  const Finished second = RunProgram("--cases=" + kWrongExpectation + " --baseline=" + report + ".json");
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_THAT(second.output, HasSubstr("known wrong_expectation/MediaIsWhatWasWritten: in the baseline\n"));
  EXPECT_THAT(second.output, EndsWith("1 passed, 0 failed, 2 skipped, 1 of them known failures\n"));
}

TEST(ConformanceProgram, FailsForADifferenceOfFormUnlessItIsToBeReported) {
  const std::string cases = "--cases=" GCSFLUX_TEST_CASES "/differs_in_form.json";
  const Finished fails = RunProgram(cases);
  EXPECT_EQ(fails.status, 1);
  EXPECT_THAT(fails.output,
              HasSubstr("\n     form: step 2, DELETE /storage/v1/b/{bucket}/o/a: status: wanted 200, got 204"));
  EXPECT_THAT(fails.output, EndsWith("1 passed, 0 failed, 0 skipped, 1 with form differences\n"));
  EXPECT_EQ(RunProgram(cases + " --form=report").status, 0);
}

TEST(ConformanceProgram, HasTheSameResultsWithManyJobs) {
  const std::string some = "--filter='[a-l]*'";
  const Finished one = RunProgram(some);
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_EQ(RunProgram(some + " --jobs=4").output, one.output);
}

TEST(ConformanceProgram, StopsAfterMaxRequests) {
  const Finished run = RunProgram("--filter='names/*' --max_requests=20");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.output, HasSubstr("the run has sent --max_requests=20"));
}

TEST(ConformanceProgram, EstimatesWithoutSending) {
  const RefusingPort port;
  const Finished run = RunProgram("--dry_run --filter='compose/*' --endpoint=" + port.endpoint());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("storage.objects.compose"));
  EXPECT_THAT(run.output, ::testing::ContainsRegex("about [0-9.]+ USD for operations"));
}

TEST(ConformanceProgram, LeavesNoMarkerBehind) {
  const emulator::Emulator service;
  EXPECT_EQ(RunProgram("--filter='names/CaseMatters' --endpoint=" + service.endpoint()).status, 0);
  EXPECT_EQ(service.journal().back().operation, "storage.buckets.delete");
  const Finished cleaned = RunProgram("--clean --endpoint=" + service.endpoint());
  EXPECT_EQ(cleaned.output, "0 runs removed, 0 may be running still\n");
  EXPECT_EQ(cleaned.status, 0);
}

TEST(ConformanceProgram, SucceedsWithHelp) {
  const Finished run = RunProgram("--help");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("--endpoint (empty)"));
}

TEST(ConformanceProgram, ListsCasesWithoutRunningThem) {
  const Finished run = RunProgram("--list --filter='compose/*'");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.output, HasSubstr("compose/AMissingSourceIs404: A source that does not exist is 404"));
  EXPECT_THAT(run.output, Not(HasSubstr("passed")));
}

}  // namespace
}  // namespace gcsflux::conformance
