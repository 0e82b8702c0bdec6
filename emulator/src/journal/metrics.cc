#include "journal/metrics.h"

#include <array>
#include <charconv>
#include <map>
#include <string_view>

namespace gcsflux::emulator {
namespace {

using Table = RequestCounters::Table;

void Declare(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text.append("# HELP gcsflux_emulator_").append(name).append(" ").append(help).append("\n");
  text.append("# TYPE gcsflux_emulator_").append(name).append(" ").append(type).append("\n");
}

void Sample(std::string& text, std::string_view name, std::string_view labels, const std::string& value) {
  text.append("gcsflux_emulator_").append(name);
  if (!labels.empty()) text.append("{").append(labels).append("}");
  text.append(" ").append(value).append("\n");
}

void Gauge(std::string& text, std::string_view name, std::string_view help, std::uint64_t value) {
  Declare(text, name, "gauge", help);
  Sample(text, name, "", std::to_string(value));
}

// No operation's name contains anything that a label must escape.
std::string OperationLabel(std::string_view operation) { return "operation=\"" + std::string(operation) + "\""; }

std::string AnswerLabels(const RequestCounters::Key& key) {
  return OperationLabel(key.first) + ",status=\"" + std::to_string(key.second) + "\"";
}

void CounterOf(std::string& text, std::string_view name, std::string_view help, const Table& answers,
               std::atomic<std::uint64_t> AnswerCount::*member) {
  Declare(text, name, "counter", help);
  for (const auto& [key, count] : answers) {
    Sample(text, name, AnswerLabels(key), std::to_string(((*count).*member).load()));
  }
}

// Exact, with no more digits than needed: "0.00025".
std::string Seconds(std::int64_t nanoseconds) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                          static_cast<double>(nanoseconds) / 1e9, std::chars_format::fixed);
  return {digits.data(), end};
}

struct Histogram {
  std::array<std::uint64_t, AnswerCount::kBounds.size()> within{};
  std::uint64_t finished = 0;
  std::int64_t nanoseconds = 0;
};

// One for each operation, for all of its statuses.
std::map<std::string_view, Histogram> Histograms(const Table& answers) {
  std::map<std::string_view, Histogram> histograms;
  for (const auto& [key, count] : answers) {
    Histogram& histogram = histograms[key.first];
    for (std::size_t i = 0; i < histogram.within.size(); ++i) histogram.within[i] += count->within[i];
    histogram.finished += count->finished;
    histogram.nanoseconds += count->nanoseconds;
  }
  return histograms;
}

void RenderDurations(std::string& text, const Table& answers) {
  Declare(text, "request_duration_seconds", "histogram", "From a request's head to the end of its answer.");
  for (const auto& [operation, histogram] : Histograms(answers)) {
    const std::string label = OperationLabel(operation);
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < histogram.within.size(); ++i) {
      within += histogram.within[i];
      const std::string bound = Seconds(std::chrono::nanoseconds(AnswerCount::kBounds[i]).count());
      const std::string labels = std::string(label).append(",le=\"").append(bound).append("\"");
      Sample(text, "request_duration_seconds_bucket", labels, std::to_string(within));
    }
    Sample(text, "request_duration_seconds_bucket", label + ",le=\"+Inf\"", std::to_string(histogram.finished));
    Sample(text, "request_duration_seconds_sum", label, Seconds(histogram.nanoseconds));
    Sample(text, "request_duration_seconds_count", label, std::to_string(histogram.finished));
  }
}

}  // namespace

std::string RenderMetrics(const Table& answers, const Gauges& gauges) {
  std::string text;
  CounterOf(text, "requests_total", "Requests answered.", answers, &AnswerCount::requests);
  CounterOf(text, "received_bytes_total", "Bytes of requests' bodies.", answers, &AnswerCount::bytes_in);
  CounterOf(text, "sent_bytes_total", "Bytes of answers' bodies.", answers, &AnswerCount::bytes_out);
  RenderDurations(text, answers);
  Gauge(text, "buckets", "Buckets.", gauges.buckets);
  Gauge(text, "objects", "Objects stored.", gauges.objects);
  Gauge(text, "stored_bytes", "Bytes of the objects stored; shared ones count for each.", gauges.stored_bytes);
  Gauge(text, "connections", "Open connections.", gauges.connections);
  return text;
}

}  // namespace gcsflux::emulator
