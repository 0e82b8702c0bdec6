#include "campaign/report_json.h"

#include <map>
#include <sstream>

namespace gcsflux::campaign {
namespace {

// Names here need no escapes.
template <class T, class Write>
void WriteObject(std::ostream& out, const std::map<std::string, T>& members, const Write& write) {
  const char* comma = "";
  out << "{";
  for (const auto& [name, value] : members) {
    out << comma << "\n  \"" << name << "\": ";
    write(value);
    comma = ",";
  }
  out << "}";
}

void WriteCounts(std::ostream& out, const std::map<std::string, std::uint64_t>& counts) {
  WriteObject(out, counts, [&](std::uint64_t count) { out << count; });
}

}  // namespace

std::string ReportAsJson(const Report& report, const RunOfReport& run) {
  std::ostringstream out;
  out << "{\"kind\": \"campaign\", \"seed\": " << run.seed << ", \"seconds\": " << run.seconds
      << ", \"kept\": " << (report.violation.empty() ? "true" : "false") << ", \"verified\": " << report.verified
      << ", \"requests\": " << report.client.requests << ",\n\"operations\": ";
  WriteObject(out, report.operations, [&](const Tally& tally) {
    out << "{\"done\": " << tally.done << ", \"cancelled\": " << tally.cancelled << ", \"failed\": " << tally.failed
        << "}";
  });
  out << ",\n\"fired\": ";
  WriteCounts(out, report.fired);
  out << ",\n\"fired_by_operation\": ";
  WriteObject(out, report.fired_by_operation, [&](const auto& counts) { WriteCounts(out, counts); });
  out << ",\n\"kills\": ";
  WriteCounts(out, report.kills);
  out << "}\n";
  return out.str();
}

}  // namespace gcsflux::campaign
