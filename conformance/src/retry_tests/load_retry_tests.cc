#include "retry_tests/load_retry_tests.h"

#include "base/read_file.h"
#include "retry_tests/parse_scenarios.h"
#include "retry_tests/run_trial.h"

namespace gcsflux::conformance {

OrError<std::vector<Check>> LoadRetryTests(const std::string& path, const std::string& access_token) {
  const auto text = ReadFile(path);
  if (!text) return Failed(text.error());
  const auto scenarios = ParseScenarios(path, *text);
  if (!scenarios) return Failed(scenarios.error());
  std::vector<Check> checks;
  for (const Trial& trial : MakeTrials(*scenarios, SdkCalls())) {
    checks.push_back({.name = trial.name,
                      .claim = trial.claim,
                      .run = [trial, access_token](const Service& service, const std::string& bucket) {
                        return RunTrial(trial, service, access_token, bucket);
                      }});
  }
  return checks;
}

}  // namespace gcsflux::conformance
