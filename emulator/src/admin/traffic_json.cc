#include "admin/traffic_json.h"

#include <cstdint>
#include <string_view>

#include "base/interruption.h"
#include "base/time_format.h"
#include "gcsflux/emulator/journal_queries.h"
#include "json/json_writer.h"

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

void WriteFaults(JsonWriter& json, const std::vector<std::string>& faults) {
  json.Key("faults");
  json.BeginArray();
  for (const std::string& fault : faults) json.String(fault);
  json.EndArray();
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
  if (record.committed_generation != 0) json.Member("committedGeneration", std::to_string(record.committed_generation));
  if (record.read_generation != 0) json.Member("readGeneration", std::to_string(record.read_generation));
  if (record.offset != 0) Number(json, "offset", record.offset);
  Number(json, "status", static_cast<std::uint64_t>(record.status));
  if (record.is_replayed) {
    json.Key("replayed");
    json.Boolean(true);
  }
  if (!record.faults.empty()) WriteFaults(json, record.faults);
  WriteBytes(json, record.bytes_in, record.bytes_out);
  json.Member("start", FormatRfc3339(record.start));
  Number(json, "inFlight", record.in_flight);
  Number(json, "durationMicroseconds", static_cast<std::uint64_t>(record.duration.count() / 1000));
  json.Key("finished");
  json.Boolean(record.is_finished);
  json.EndObject();
}

void WriteCommits(JsonWriter& json, const std::vector<CommittedGenerations>& commits) {
  json.Key("committedGenerations");
  json.BeginArray();
  for (const CommittedGenerations& commit : commits) {
    json.BeginObject();
    json.Member("bucket", commit.bucket);
    json.Member("object", commit.object);
    json.Key("generations");
    json.BeginArray();
    for (const std::int64_t generation : commit.generations) json.String(std::to_string(generation));
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
}

void WriteRepeatedRanges(JsonWriter& json, const std::vector<RepeatedRange>& ranges) {
  json.Key("bytesServedTwice");
  json.BeginArray();
  for (const RepeatedRange& range : ranges) {
    json.BeginObject();
    json.Member("bucket", range.bucket);
    json.Member("object", range.object);
    json.Member("generation", std::to_string(range.generation));
    Number(json, "offset", range.offset);
    Number(json, "length", range.length);
    json.EndObject();
  }
  json.EndArray();
}

void WritePeak(JsonWriter& json, const Peak& peak) {
  json.Key("mostInFlight");
  json.BeginObject();
  Number(json, "requests", peak.requests);
  if (peak.requests != 0) json.Member("at", FormatRfc3339(peak.at));
  json.EndObject();
}

void WriteArrivals(JsonWriter& json, const std::vector<Arrivals>& all) {
  json.Key("arrivals");
  json.BeginArray();
  for (const Arrivals& arrivals : all) {
    json.BeginObject();
    json.Member("invocationId", arrivals.invocation_id);
    Number(json, "attempt", static_cast<std::uint64_t>(arrivals.attempt));
    json.Member("method", arrivals.method);
    json.Member("operation", arrivals.operation);
    Unless(json, "phase", arrivals.phase);
    Unless(json, "bucket", arrivals.bucket);
    Unless(json, "object", arrivals.object);
    Number(json, "offset", arrivals.offset);
    Number(json, "count", arrivals.count);
    json.EndObject();
  }
  json.EndArray();
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

std::string RenderAssertions(const std::vector<RequestRecord>& records, bool is_complete) {
  JsonWriter json;
  json.BeginObject();
  json.Key("isComplete");
  json.Boolean(is_complete);
  WriteCommits(json, FindCommits(records));
  WriteRepeatedRanges(json, FindBytesServedTwice(records));
  WritePeak(json, FindMostInFlight(records));
  WriteArrivals(json, CountArrivals(records));
  json.EndObject();
  return json.Take();
}

std::string RenderJournal(const std::vector<RequestRecord>& records) {
  JsonWriter json;
  json.BeginObject();
  json.Key("requests");
  json.BeginArray();
  for (const RequestRecord& record : records) {
    ThrowIfInterrupted();
    WriteRecord(json, record);
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace gcsflux::emulator
