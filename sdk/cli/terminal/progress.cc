#include "cli/terminal/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/text/printable.h"

namespace gcsflux::cli {
namespace {

std::string Number(double value, int decimals) {
  std::array<char, 32> text{};
  const int count = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return std::string(text.data(), static_cast<std::size_t>(count));
}

std::string Objects(std::uint64_t count) { return Count(count, "object"); }

std::string Rate(double bytes, double seconds) { return BytesText(seconds > 0 ? bytes / seconds : 0) + "/s"; }

std::string ObjectRate(std::uint64_t objects, double seconds) {
  return Number(seconds > 0 ? static_cast<double>(objects) / seconds : 0, 0) + "/s";
}

// "1:02:03" or "2:03".
std::string Clock(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 3.6e7));
  std::array<char, 32> text{};
  const auto hours = static_cast<unsigned>(whole / 3'600);
  const auto minutes = static_cast<unsigned>(whole / 60 % 60);
  const auto rest = static_cast<unsigned>(whole % 60);
  const int count = hours > 0 ? std::snprintf(text.data(), text.size(), "%u:%02u:%02u", hours, minutes, rest)
                              : std::snprintf(text.data(), text.size(), "%u:%02u", minutes, rest);
  return std::string(text.data(), static_cast<std::size_t>(count));
}

// The share of the work that is complete: 0 to 1, by bytes, or without bytes by objects.
double Share(const TransferCounts& counts) {
  const auto share = [](std::uint64_t done, std::uint64_t all) {
    return all == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  };
  return counts.bytes > 0 ? share(counts.moved_bytes + counts.kept_bytes, counts.bytes)
                          : share(counts.copied + counts.failed, counts.objects);
}

std::string Bar(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(filled, '=') + std::string(width - filled, ' ') + "] ";
}

}  // namespace

std::string BytesText(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1'000;
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return Number(bytes, decimals) + " " + kUnits[unit];
}

std::string Count(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string Printable(std::string text) { return internal::Printable(std::move(text), '?'); }

std::string ProgressLine(const TransferCounts& counts, double seconds, std::size_t columns) {
  if (counts.objects == 0) return ("looking at what is there, " + Clock(seconds)).substr(0, columns);
  const double share = Share(counts);
  const auto moved = static_cast<double>(counts.moved_bytes);
  std::string text = std::to_string(counts.copied) + "/" + Objects(counts.objects) + ", " +
                     BytesText(static_cast<double>(counts.moved_bytes + counts.kept_bytes)) + " of " +
                     BytesText(static_cast<double>(counts.bytes)) + ", " + Rate(moved, seconds);
  const auto left = static_cast<double>(counts.bytes) * (1 - share);
  if (moved > 0 && seconds > 1 && share < 1) text += ", " + Clock(left * seconds / moved) + " left";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  const std::string percent = Number(std::floor(share * 100), 0) + " % ";
  constexpr std::size_t kBarWidth = 20;
  std::string line = percent + text;
  if (line.size() + kBarWidth + 3 <= columns) line = Bar(share, kBarWidth) + line;
  return line.substr(0, columns);
}

std::string ProgressLine(const std::string& doing, std::uint64_t objects, double seconds, std::size_t columns) {
  const std::string line =
      doing + ", " + Objects(objects) + ", " + ObjectRate(objects, seconds) + ", " + Clock(seconds);
  return line.substr(0, columns);
}

std::string ListedLine(std::uint64_t objects, double seconds) {
  return "listed " + Objects(objects) + " in " + Number(seconds, 1) + " s (" + ObjectRate(objects, seconds) + ")";
}

std::string SummaryLine(const TransferCounts& counts, double seconds) {
  const auto moved = static_cast<double>(counts.moved_bytes);
  std::string line = "copied " + Objects(counts.copied) + ", " + BytesText(moved) + " in " + Number(seconds, 1) +
                     " s (" + Rate(moved, seconds) + ")";
  if (counts.kept_bytes > 0) {
    line += "; kept " + BytesText(static_cast<double>(counts.kept_bytes)) + " of an interrupted run";
  }
  if (counts.skipped > 0) line += "; skipped " + std::to_string(counts.skipped) + " that are there";
  if (counts.deleted > 0) line += "; deleted " + std::to_string(counts.deleted);
  if (counts.failed > 0) line += "; " + std::to_string(counts.failed) + " FAILED";
  return line;
}

std::string DryRunLine(const TransferCounts& counts) {
  std::string line = "would copy " + Objects(counts.objects) + ", " + BytesText(static_cast<double>(counts.bytes));
  if (counts.skipped > 0) line += "; would skip " + std::to_string(counts.skipped) + " that are there";
  if (counts.deleted > 0) line += "; would delete " + std::to_string(counts.deleted);
  if (counts.failed > 0) line += "; " + std::to_string(counts.failed) + " CANNOT BE COPIED";
  return line;
}

}  // namespace gcsflux::cli
