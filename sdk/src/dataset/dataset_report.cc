#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text/printable.h"
#include "gcsflux/dataset.h"

namespace gcsflux {
namespace {

constexpr std::size_t kSkippedShown = 2;
constexpr std::size_t kSlowestShown = 10;
constexpr std::size_t kLongestText = 160;

// ------------------------------------------------------------------------------------------------------ numbers

std::string Fixed(double value, int digits) {
  std::array<char, 64> text{};
  const double shown = std::clamp(value, 0.0, 1e15);  // NaN and absurd values must not overflow it
  const auto end = std::to_chars(text.data(), text.data() + text.size(), shown == shown ? shown : 0,
                                 std::chars_format::fixed, digits)
                       .ptr;
  return {text.data(), end};
}

// 12345678 as 12,345,678.
std::string Grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t from_end = 3; from_end < text.size(); from_end += 4) text.insert(text.size() - from_end, 1, ',');
  return text;
}

// As Grouped(); small values have a digit behind the point.
std::string Rate(double per_second) {
  return per_second < 100 ? Fixed(per_second, 1) : Grouped(static_cast<std::uint64_t>(std::min(per_second, 1e15)));
}

std::string Bytes(double bytes) {
  constexpr std::array kUnits = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return Fixed(bytes, unit == 0 ? 0 : 1) + kUnits[unit];
}
std::string Bytes(std::uint64_t bytes) { return Bytes(static_cast<double>(bytes)); }

using Seconds = std::chrono::duration<double>;
std::string Text(Seconds time) { return Fixed(time.count(), time < Seconds(10) ? 2 : 1) + " s"; }

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }
std::string Percent(Seconds part, Seconds whole) { return Fixed(100 * Share(part.count(), whole.count()), 1) + " %"; }

std::string Plural(std::uint64_t count, std::string_view one) {
  return Grouped(count) + " " + std::string(one) + (count == 1 ? "" : one.ends_with("tch") ? "es" : "s");
}

// Text from outside: on one line, and of limited length.
std::string Shown(std::string text) {
  text = internal::Printable(std::move(text), '?');
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + "...";
  return text;
}

// ------------------------------------------------------------------------------------------------------ sections

std::string Work(const DatasetReport& report) {
  const auto samples = static_cast<double>(report.samples);
  const auto bytes = static_cast<double>(report.bytes);
  const double seconds = Seconds(report.elapsed).count();
  return Plural(report.samples, "sample") + ", " + Bytes(report.bytes) + " in " + Plural(report.batches, "batch") +
         " of " + Plural(report.epochs, "epoch") + " in " + Text(report.elapsed) + "\n" +  //
         "rate        " + Rate(Share(samples, seconds)) + " samples/s, " + Bytes(Share(bytes, seconds)) + "/s\n";
}

// Beside the waiting, which it explains.
std::string Unannounced(const DatasetReport& report) {
  if (report.unannounced_batches == 0) return "";
  return "; " + Grouped(report.unannounced_batches) + " of " + Plural(report.batches, "batch") +
         " not announced, so not fetched ahead: MakeDataLoader() announces its order";
}

std::string Time(const DatasetReport& report) {
  std::string text = "waiting     " + Percent(report.wait_time, report.elapsed) + " of the time (" +
                     Text(report.wait_time) + ")" + Unannounced(report) + "\n";
  if (report.decode_time > Seconds(0)) {
    text += "decoding    " + Text(report.decode_time) + " over all threads (" +
            Percent(report.decode_time, report.elapsed) + " of one); " + Plural(report.decoded_samples, "sample") +
            " of " + Bytes(report.decoded_bytes) + " decoded ahead, " + Bytes(report.max_decoded_bytes) + " at most\n";
  }
  return text;
}

std::string Requests(const Counters& client) {
  if (client.retries == 0 && client.throttled == 0 && client.hedges == 0) return "";
  return "requests    " + Grouped(client.retries) + " retried, " + Grouped(client.throttled) + " throttled, " +
         Grouped(client.hedges) + " hedged\n";
}

// The first of several buckets.
std::string FirstOf(const std::map<std::string, std::string>& texts, std::string_view what) {
  if (texts.empty()) return "";
  const auto& [bucket, text] = *texts.begin();
  std::string line = std::string(what) + " gs://" + Shown(bucket) + ": " + Shown(text);
  if (texts.size() > 1) line += "; and " + Plural(texts.size() - 1, "other bucket");
  return line + "\n";
}

std::string Composition(const CompositionReport& report) {
  std::string text;
  if (report.composites > 0 || report.fallbacks > 0) {
    text += "composites  " + Grouped(report.composites) + " for " + Plural(report.composed_objects, "object") + ", " +
            Plural(report.direct_objects, "object") + " directly, " + Plural(report.fallbacks, "fallback") + "\n";
  }
  text += FirstOf(report.reasons, "composites  none in");
  text += FirstOf(report.warnings, "composites  cost more in");
  if (!report.last_failure.empty()) text += "composites  last failure: " + Shown(report.last_failure) + "\n";
  return text;
}

std::string Cache(const CacheReport& cache) {
  const bool is_used = cache.hits > 0 || cache.misses > 0;
  if (!is_used && cache.error.empty()) return "";
  std::string text = "cache       ";
  if (is_used) {
    text += Plural(cache.hits, "hit") + " of " + Bytes(cache.hit_bytes) + ", " + Grouped(cache.misses) +
            " not there, " + Grouped(cache.stored) + " of " + Bytes(cache.stored_bytes) + " stored, " +
            Grouped(cache.evictions) + " of " + Bytes(cache.evicted_bytes) + " removed";
    if (cache.damaged > 0) text += ", " + Grouped(cache.damaged) + " damaged";
  }
  if (!cache.error.empty()) text += (is_used ? "; keeps nothing more: " : "keeps nothing: ") + Shown(cache.error);
  return text + "\n";
}

std::string Cost(const DatasetReport& report) {
  return "operations  " + Grouped(report.client.class_a_operations) + " of class A, " +
         Grouped(report.client.class_b_operations) + " of class B: " + Fixed(report.price, 4) + " USD\n";
}

std::string Skipped(const DatasetReport& report) {
  if (report.skipped == 0) return "";
  std::string text = "skipped     " + Plural(report.skipped, "object") + ", of them:\n";
  for (std::size_t i = 0; i < std::min(kSkippedShown, report.skipped_objects.size()); ++i) {
    const ReportedObject& object = report.skipped_objects[i];
    text += "  " + Shown(object.name) + ": " + Shown(object.reason) + "\n";
  }
  return text;
}

std::string Slowest(const DatasetReport& report) {
  if (report.slowest.empty()) return "";
  std::string text = "slowest\n";
  for (std::size_t i = 0; i < std::min(kSlowestShown, report.slowest.size()); ++i) {
    const ReportedObject& object = report.slowest[i];
    text += "  " + Text(object.duration) + "  " + Bytes(object.bytes) + "  " + Shown(object.name) + "\n";
  }
  return text;
}

}  // namespace

std::string FormatReport(const DatasetReport& report) {
  return Work(report) + Time(report) + "memory      " + Bytes(report.held_bytes) + " fetched ahead, " +
         Bytes(report.max_held_bytes) + " at most\n" + Requests(report.client) + Composition(report.composition) +
         Cache(report.cache) + Cost(report) + Skipped(report) + Slowest(report);
}

}  // namespace gcsflux
