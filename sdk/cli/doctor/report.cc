#include "cli/doctor/report.h"

#include <gflags/gflags.h>

#include <array>
#include <iostream>
#include <string_view>

#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"

DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

std::string_view NameOf(Finding::Outcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"ok", "warning", "failed", "skipped"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string Padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string JsonOf(const Finding& finding) {
  JsonObject json;
  json.Add("check", finding.check).Add("outcome", NameOf(finding.outcome)).Add("found", finding.text);
  if (!finding.remedy.empty()) json.Add("remedy", finding.remedy);
  return json.text();
}

std::string LinesOf(const Finding& finding) {
  constexpr std::size_t kOutcomeWidth = 9;
  constexpr std::size_t kCheckWidth = 18;
  const std::string line = Padded(NameOf(finding.outcome), kOutcomeWidth) + Padded(finding.check, kCheckWidth);
  if (finding.remedy.empty()) return line + finding.text;
  return line + finding.text + "\n" + std::string(kOutcomeWidth + kCheckWidth, ' ') + "-> " + finding.remedy;
}

}  // namespace

void DoctorReport::Add(const Finding& finding) {
  ++checks_;
  warnings_ += finding.outcome == Finding::Outcome::kWarning ? 1 : 0;
  failed_ += finding.outcome == Finding::Outcome::kFailed ? 1 : 0;
  // Not PrintLine(): on a terminal it would replace the line break before a remedy.
  std::cout << (FLAGS_json ? JsonOf(finding) : LinesOf(finding)) << std::endl;
}

Result<void> DoctorReport::Finish() const {
  if (failed_ == 0) return SayDone(Count(checks_, "check") + ": " + Count(warnings_, "warning")), Result<void>();
  return Error{ErrorCode::kLocalIo, std::to_string(failed_) + " of " + Count(checks_, "check") + " failed, " +
                                        Count(warnings_, "warning") + "; what to change is above"};
}

}  // namespace gcsflux::cli
