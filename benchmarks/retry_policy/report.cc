#include "retry_policy/report.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace gcsflux::bench {
namespace {

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  std::array<char, 256> text{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

std::string OrDash(const std::optional<double>& value, const char* format, double factor) {
  return value ? Format(format, *value * factor) : "-";
}

std::string OrEmpty(const std::optional<double>& value) { return value ? Format("%.5f", *value) : ""; }

}  // namespace

void WriteTableHead(std::ostream& out) {
  out << "scenario  processes  policy        of quota  delivered    429s per  worst    p99      Jain    back to   "
         "failed\n"
         "          x threads                          per second   success                     index   95 % in\n";
}

void WriteTableRow(std::ostream& out, const Cell& cell) {
  const Figures& f = cell.figures;
  const auto& s = cell.scenario;
  const double seconds = static_cast<double>(f.by_second.size());
  out << Format("%-9s %4d x %-4d %-13s %8s  %10.1f  %9.4f  %6.2f s %6.2f s %6.4f  %8s  %6llu\n", s.name.c_str(),
                s.processes, s.threads, cell.policy.c_str(), OrDash(f.share_of_quota, "%.2f %%", 100).c_str(),
                f.delivered / seconds, f.throttled_per_success, f.worst_seconds, f.p99_seconds, f.jain_index,
                OrDash(f.recovery_seconds, "%.1f s", 1).c_str(), static_cast<unsigned long long>(f.failed));
  out.flush();
}

void WriteCsv(std::ostream& out, const std::vector<Cell>& cells) {
  out << "scenario,processes,threads,policy,seconds,delivered,share_of_quota,throttled_per_success,worst_s,p99_s,"
         "jain_index,recovery_s,failed\n";
  for (const Cell& cell : cells) {
    const Figures& f = cell.figures;
    out << cell.scenario.name << ',' << cell.scenario.processes << ',' << cell.scenario.threads << ',' << cell.policy
        << ',' << f.by_second.size() << ',' << Format("%.0f", f.delivered) << ',' << OrEmpty(f.share_of_quota) << ','
        << Format("%.5f,%.4f,%.4f,%.5f", f.throttled_per_success, f.worst_seconds, f.p99_seconds, f.jain_index) << ','
        << OrEmpty(f.recovery_seconds) << ',' << f.failed << '\n';
  }
}

void WriteSecondsCsv(std::ostream& out, const std::vector<Cell>& cells) {
  out << "scenario,policy,second,quota,delivered,worst_s\n";
  for (const Cell& cell : cells) {
    const auto& seconds = cell.figures.by_second;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(seconds.size());
      out << cell.scenario.name << ',' << cell.policy << ',' << i << ',' << OrEmpty(cell.scenario.QuotaAt(share)) << ','
          << Format("%.0f,%.4f", seconds[i].delivered, seconds[i].worst) << '\n';
    }
  }
}

}  // namespace gcsflux::bench
