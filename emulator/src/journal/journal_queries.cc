#include "gcsflux/emulator/journal_queries.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gcsflux::emulator {
namespace {

// The bytes of a generation that were sent: for each run its beginning (+1) and its end (-1).
using Edges = std::vector<std::pair<std::uint64_t, int>>;

// The ranges that two or more runs cover.
std::vector<std::pair<std::uint64_t, std::uint64_t>> FindOverlaps(Edges edges) {
  // At one position, beginnings come first. So a range that changing pairs of runs cover is one range, and neighbouring
  // runs meet in an empty one.
  std::sort(edges.begin(), edges.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> overlaps;
  int depth = 0;
  for (const auto& [offset, change] : edges) {
    if (depth == 1 && change == 1) overlaps.emplace_back(offset, 0);
    if (depth == 2 && change == -1) overlaps.back().second = offset - overlaps.back().first;
    depth += change;
  }
  std::erase_if(overlaps, [](const auto& overlap) { return overlap.second == 0; });
  return overlaps;
}

}  // namespace

bool HasForgotten(const std::vector<RequestRecord>& records) { return !records.empty() && records[0].number != 1; }

std::vector<CommittedGenerations> FindCommits(const std::vector<RequestRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::vector<std::int64_t>> commits;
  for (const RequestRecord& record : records) {
    if (record.committed_generation == 0) continue;
    commits[{record.bucket, record.object}].push_back(record.committed_generation);
  }
  std::vector<CommittedGenerations> found;
  found.reserve(commits.size());
  for (auto& [name, generations] : commits) found.push_back({name.first, name.second, std::move(generations)});
  return found;
}

std::vector<std::int64_t> FindCommits(const std::vector<RequestRecord>& records, const std::string& bucket,
                                      const std::string& object) {
  std::vector<std::int64_t> generations;
  for (const RequestRecord& record : records) {
    const bool is_meant = record.bucket == bucket && record.object == object;
    if (is_meant && record.committed_generation != 0) generations.push_back(record.committed_generation);
  }
  return generations;
}

std::vector<RepeatedRange> FindBytesServedTwice(const std::vector<RequestRecord>& records) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, Edges> served;
  for (const RequestRecord& record : records) {
    if (record.read_generation == 0 || record.bytes_out == 0) continue;
    Edges& edges = served[{record.bucket, record.object, record.read_generation}];
    edges.emplace_back(record.offset, 1);
    edges.emplace_back(record.offset + record.bytes_out, -1);
  }
  std::vector<RepeatedRange> found;
  for (auto& [key, edges] : served) {
    const auto& [bucket, object, generation] = key;
    for (const auto& [offset, length] : FindOverlaps(std::move(edges))) {
      found.push_back({bucket, object, generation, offset, length});
    }
  }
  return found;
}

Peak FindMostInFlight(const std::vector<RequestRecord>& records) {
  Peak peak;
  for (const RequestRecord& record : records) {
    if (record.in_flight > peak.requests) peak = {record.in_flight, record.start};
  }
  return peak;
}

std::vector<Arrivals> CountArrivals(const std::vector<RequestRecord>& records) {
  const auto key = [](const auto& of) {
    return std::tie(of.invocation_id, of.attempt, of.method, of.operation, of.phase, of.bucket, of.object, of.offset);
  };
  std::map<decltype(key(std::declval<const RequestRecord&>())), std::size_t> seen;  // positions in `found`
  std::vector<Arrivals> found;
  for (const RequestRecord& record : records) {
    if (record.invocation_id.empty()) continue;
    const auto [at, is_new] = seen.emplace(key(record), found.size());
    if (is_new) {
      found.push_back({record.invocation_id, record.attempt, record.method, record.operation, record.phase,
                       record.bucket, record.object, record.offset});
    }
    ++found[at->second].count;
  }
  return found;
}

}  // namespace gcsflux::emulator
