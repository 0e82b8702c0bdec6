#include "report/report.h"

#include <strings.h>

#include <algorithm>
#include <array>

namespace gcsflux::conformance {
namespace {

constexpr std::array kSecretHeaders = {"Authorization", "Cookie", "Set-Cookie", "x-goog-encryption-key",
                                       "x-goog-copy-source-encryption-key"};

bool IsSecret(const std::string& header) {
  return std::any_of(kSecretHeaders.begin(), kSecretHeaders.end(),
                     [&](const char* name) { return strcasecmp(header.c_str(), name) == 0; });
}

/// Texts as the report shows them: without secrets, and with bytes that are no UTF-8 replaced.
class Redactor {
 public:
  explicit Redactor(const std::function<std::string(std::string)>& redact) : redact_(redact) {}

  [[nodiscard]] Json Text(const std::string& text) const {
    const std::string shown = redact_ ? redact_(text) : text;
    return Json::parse(Json(shown).dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  [[nodiscard]] Json HeaderLines(const Headers& headers) const {
    Json lines = Json::array();
    for (const auto& [name, value] : headers) {
      lines.push_back(Text(name + ": " + (IsSecret(name) ? "<redacted>" : value)));
    }
    return lines;
  }

  [[nodiscard]] Json Of(const Exchange& exchange) const {
    Json sent{{"request", Text(exchange.request.method + " " + exchange.request.target)},
              {"headers", HeaderLines(exchange.request.headers)}};
    if (exchange.request.body) sent["body"] = Text(*exchange.request.body);
    if (!exchange.error.empty()) return {{"sent", sent}, {"error", Text(exchange.error)}};
    return {{"sent", sent},
            {"came",
             {{"status", exchange.response.status},
              {"headers", HeaderLines(exchange.response.headers)},
              {"body", Text(exchange.response.body)}}}};
  }

 private:
  const std::function<std::string(std::string)>& redact_;
};

Json CaseOf(const Check& check, const Outcome& outcome, const Redactor& redactor) {
  Json entry{{"name", check.name},          {"claim", check.claim},           {"source", check.source},
             {"subject", SubjectOf(check)}, {"operations", check.operations}, {"result", ResultName(outcome)}};
  if (!check.tags.empty()) entry["tags"] = check.tags;
  if (!outcome.detail.empty()) entry["detail"] = redactor.Text(outcome.detail);
  if (!outcome.not_applicable.empty()) entry["capability"] = outcome.not_applicable;
  if (!outcome.known.empty()) entry["known"] = outcome.known;
  if (!outcome.leftover.empty()) entry["left_behind"] = redactor.Text(outcome.leftover);
  if (!outcome.expected.is_null()) entry["expected"] = outcome.expected;
  for (const std::string& difference : outcome.form) entry["form"].push_back(redactor.Text(difference));
  if (outcome.is_form_known) entry["is_form_known"] = true;
  for (const Exchange& exchange : outcome.exchanges) entry["exchanges"].push_back(redactor.Of(exchange));
  return entry;
}

}  // namespace

Json ReportDocument(const std::vector<Check>& checks, const SuiteResult& result, const ReportedRun& run) {
  const Redactor redactor(run.redact);
  Json counts = Json::object();
  Json cases = Json::array();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    cases.push_back(CaseOf(checks[i], result.outcomes[i], redactor));
    Json& count = counts[cases.back()["result"].get<std::string>()];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  Json document{{"gcsflux_conformance", run.version},      {"endpoint", run.endpoint},
                {"capabilities", run.capabilities},        {"counts", counts},
                {"left_behind", result.tally.left_behind}, {"cases", cases}};
  if (!run.profile.empty()) document["profile"] = run.profile;
  if (!result.why_cut_short.empty()) document["cut_short"] = redactor.Text(result.why_cut_short);
  return document;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      case '\n':
      case '\t': escaped += c; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

}  // namespace gcsflux::conformance
