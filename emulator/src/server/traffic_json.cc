#include "server/traffic_json.h"

#include <cstdint>
#include <string_view>

#include "server/json_writer.h"
#include "server/time_format.h"

namespace gcsflux::emulator {
namespace {

void Number(JsonWriter& json, std::string_view key, std::uint64_t value) {
  json.Key(key);
  json.Number(static_cast<std::int64_t>(value));
}

void Unless(JsonWriter& json, std::string_view key, const std::string& value) {
  if (!value.empty()) json.Member(key, value);
}

void WriteBytes(JsonWriter& json, std::uint64_t bytes_in, std::uint64_t bytes_out) {
  Number(json, "bytesIn", bytes_in);
  Number(json, "bytesOut", bytes_out);
}

void WriteRecord(JsonWriter& json, const RequestRecord& record) {
  json.BeginObject();
  Number(json, "number", record.number);
  json.Member("method", record.method);
  json.Member("target", record.target);
  json.Member("operation", record.operation);
  Unless(json, "phase", record.phase);
  Unless(json, "bucket", record.bucket);
  Unless(json, "object", record.object);
  Unless(json, "invocationId", record.invocation_id);
  if (record.attempt != 0) Number(json, "attempt", static_cast<std::uint64_t>(record.attempt));
  Number(json, "status", static_cast<std::uint64_t>(record.status));
  WriteBytes(json, record.bytes_in, record.bytes_out);
  json.Member("start", FormatRfc3339(record.start));
  Number(json, "durationMicroseconds", static_cast<std::uint64_t>(record.duration.count() / 1000));
  json.Key("finished");
  json.Boolean(record.is_finished);
  json.EndObject();
}

}  // namespace

std::string RenderCounters(const Counters& counters) {
  JsonWriter json;
  json.BeginObject();
  Number(json, "requests", counters.requests);
  WriteBytes(json, counters.bytes_in, counters.bytes_out);
  json.Key("operations");
  json.BeginArray();
  for (const OperationCount& count : counters.operations) {
    json.BeginObject();
    json.Member("operation", count.operation);
    Number(json, "status", static_cast<std::uint64_t>(count.status));
    Number(json, "requests", count.requests);
    WriteBytes(json, count.bytes_in, count.bytes_out);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

std::string RenderJournal(const std::vector<RequestRecord>& records) {
  JsonWriter json;
  json.BeginObject();
  json.Key("requests");
  json.BeginArray();
  for (const RequestRecord& record : records) WriteRecord(json, record);
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace gcsflux::emulator
