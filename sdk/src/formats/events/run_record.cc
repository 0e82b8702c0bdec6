#include "formats/events/run_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text/rfc3339.h"
#include "base/text/zero_byte.h"
#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

using nlohmann::ordered_json;

constexpr const char* kVersionField = "gcsflux_run";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr int kMostLevels = 8;

// JSON has no number for these.
ordered_json NumberOf(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double ToDouble(const ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

ordered_json JsonOf(const RunMetric& metric) {
  ordered_json json = {{"last", NumberOf(metric.last)}, {"step", metric.step}, {"count", metric.count}};
  if (metric.least) json["min"] = *metric.least;
  if (metric.most) json["max"] = *metric.most;
  return json;
}

// Throws what nlohmann throws if a field has another type.
RunMetric MetricOf(const ordered_json& json) {
  RunMetric metric{.last = ToDouble(json.at("last")), .step = json.at("step"), .count = json.at("count")};
  if (json.contains("min")) metric.least = json.at("min").get<double>();
  if (json.contains("max")) metric.most = json.at("max").get<double>();
  return metric;
}

std::chrono::system_clock::time_point TimeOf(const ordered_json& json, const char* field) {
  return ParseRfc3339(json.at(field).get<std::string>()).value_or(std::chrono::system_clock::time_point());
}

RunRecord RecordOf(const ordered_json& json) {
  const ordered_json none = ordered_json::object();
  RunRecord record{.state = json.at("state"),
                   .started = TimeOf(json, "started"),
                   .updated = TimeOf(json, "updated"),
                   .revision = json.value("revision", ""),
                   .parameters = json.value("parameters", none),
                   .environment = json.value("environment", none),
                   .client = json.value("client", none),
                   .dataset = json.value("dataset", none),
                   .events = json.value("events", std::uint64_t{0}),
                   .dropped = json.value("dropped", std::uint64_t{0})};
  for (const auto& [tag, metric] : json.at("metrics").items()) record.metrics.emplace(tag, MetricOf(metric));
  return record;
}

}  // namespace

void RunMetric::Add(double value, std::int64_t at_step) {
  last = value;
  step = at_step;
  ++count;
  if (!std::isfinite(value)) return;
  least = std::min(value, least.value_or(value));
  most = std::max(value, most.value_or(value));
}

std::string FormatRunRecord(const RunRecord& record) {
  ordered_json json = {{kVersionField, 1},
                       {"state", record.state},
                       {"started", FormatRfc3339(record.started)},
                       {"updated", FormatRfc3339(record.updated)}};
  if (!record.revision.empty()) json["revision"] = record.revision;
  json["parameters"] = record.parameters;
  json["metrics"] = ordered_json::object();
  for (const auto& [tag, metric] : record.metrics) json["metrics"][tag] = JsonOf(metric);
  json["environment"] = record.environment;
  json["client"] = record.client;
  if (!record.dataset.empty()) json["dataset"] = record.dataset;
  json["events"] = record.events;
  json["dropped"] = record.dropped;
  // Parameters and the like may be no UTF-8.
  return json.dump(1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace) + "\n";
}

Result<RunRecord> ParseRunRecord(std::string_view json, const std::string& name) {
  const auto is_other = [&](const std::string& why) { return Undecodable(name, "", 0, "no record of a run: " + why); };
  if (json.size() > kMostBytes || HasZeroByte(json)) return is_other("too long, or no text");
  bool is_too_deep = false;
  const auto bound = [&](int depth, ordered_json::parse_event_t, const ordered_json&) {
    is_too_deep = is_too_deep || depth > kMostLevels;
    return !is_too_deep;
  };
  try {
    const auto parsed = ordered_json::parse(json, bound, /*allow_exceptions=*/false);
    if (is_too_deep || !parsed.is_object() || !parsed.contains(kVersionField))
      return is_other("the field 'gcsflux_run' is missing");
    return RecordOf(parsed);
  } catch (const nlohmann::json::exception& wrong) {
    return is_other(wrong.what());
  }
}

}  // namespace gcsflux::internal
