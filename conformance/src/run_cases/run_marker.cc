#include "run_cases/run_marker.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include "case/excerpt.h"
#include "case/parse_answer.h"
#include "case/placeholders.h"
#include "run_cases/test_bucket.h"
#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

constexpr std::size_t kRunBytes = 8;

std::string Stem(const RunPlace& place, const std::string& run) { return place.prefix + "-" + run; }

/// The bucket and the name of a run's marker, as variables of targets.
Variables MarkerOf(const RunPlace& place, const std::string& run) {
  if (place.shared_bucket.empty()) return {{"bucket", Stem(place, run)}, {"object", "conformance-run.json"}};
  return {{"bucket", place.shared_bucket}, {"object", Stem(place, run) + "/conformance-run.json"}};
}

OrError<Json> Get(const Service& service, const std::string& target) {
  const auto response = SendUnlessThrottled(service, {.method = "GET", .target = target});
  if (!response) return Failed(response.error());
  Json json = ParseAnswer(response->body);
  if (response->status == 200 && json.is_object()) return json;
  return Failed("GET " + target + ": " + std::to_string(response->status) + " " +
                Excerpt(std::string_view(response->body)));
}

/// All "name"s, or "prefixes", of a listing. At most kMostPages pages.
OrError<std::vector<std::string>> List(const Service& service, const std::string& target, bool of_prefixes) {
  constexpr int kMostPages = 1000;
  std::vector<std::string> names;
  std::string token;
  for (int page = 0; page < kMostPages; ++page) {
    const auto listed =
        Get(service, target + (token.empty() ? "" : Substitute("&pageToken={t|encoded}", {{"t", token}})));
    if (!listed) return Failed(listed.error());
    for (const Json& each : listed->value(of_prefixes ? "prefixes" : "items", Json::array())) {
      names.push_back(of_prefixes ? each.get<std::string>() : each.value("name", ""));
    }
    token = listed->value("nextPageToken", "");
    if (token.empty()) return names;
  }
  return Failed("the listing does not end: " + target);
}

/// The run of a name "PREFIX-RUN" or of one that begins with "PREFIX-RUN" and `end`; empty if it is no such name.
std::string RunIn(const std::string& name, const RunPlace& place, char end) {
  const std::size_t begin = place.prefix.size() + 1;
  if (!name.starts_with(place.prefix + "-") || name.size() < begin + kRunBytes) return {};
  std::string run = name.substr(begin, kRunBytes);
  const bool is_run = run.find_first_not_of("0123456789abcdef") == run.npos;
  const std::size_t after = begin + kRunBytes;
  return is_run && (after == name.size() || name[after] == end) ? run : "";
}

OrError<std::vector<std::string>> Buckets(const Service& service, const RunPlace& place) {
  return List(service,
              Substitute("/storage/v1/b?project={project|encoded}&prefix={prefix}-",
                         {{"project", service.project}, {"prefix", place.prefix}}),
              /*of_prefixes=*/false);
}

OrError<std::vector<std::string>> NamesOfRuns(const Service& service, const RunPlace& place) {
  if (place.shared_bucket.empty()) return Buckets(service, place);
  return List(service,
              Substitute("/storage/v1/b/{bucket}/o?prefix={prefix}-&delimiter=/",
                         {{"bucket", place.shared_bucket}, {"prefix", place.prefix}}),
              /*of_prefixes=*/true);
}

OrError<void> RemoveBuckets(const Service& service, const RunPlace& place, const std::string& run) {
  const auto buckets = Buckets(service, place);
  if (!buckets) return Failed(buckets.error());
  for (const std::string& bucket : *buckets) {
    if (bucket == Stem(place, run) || RunIn(bucket, place, '-') != run) continue;
    if (auto gone = DeleteBucketAndObjects(service, bucket); !gone) return gone;
  }
  return {};
}

OrError<void> RemoveRun(const Service& service, const RunPlace& place, const std::string& run) {
  if (!place.shared_bucket.empty()) return RemoveMarker(service, place, run);
  if (auto removed = RemoveBuckets(service, place, run); !removed) return removed;
  return RemoveMarker(service, place, run);
}

}  // namespace

OrError<void> MakeMarker(const Service& service, const RunPlace& place, const std::string& run, std::int64_t ends_at) {
  const Variables names = MarkerOf(place, run);
  if (place.shared_bucket.empty()) {
    if (auto made = CreateBucket(service, names.at("bucket")); !made) return made;
  }
  const std::string target =
      Substitute("/upload/storage/v1/b/{bucket}/o?uploadType=media&name={object|encoded}&ifGenerationMatch=0", names);
  const auto stored = SendUnlessThrottled(service, {.method = "POST",
                                                    .target = target,
                                                    .headers = {{"Content-Type", "application/json"}},
                                                    .body = Json{{"run", run}, {"ends_at", ends_at}}.dump()});
  if (stored && stored->status == 200) return {};
  return Failed(
      "cannot write the run's marker to " + names.at("bucket") + ": " +
      (stored ? std::to_string(stored->status) + " " + Excerpt(std::string_view(stored->body)) : stored.error()));
}

OrError<void> RemoveMarker(const Service& service, const RunPlace& place, const std::string& run) {
  if (place.shared_bucket.empty()) return DeleteBucketAndObjects(service, Stem(place, run));
  return DeleteObjectsBelow(service, place.shared_bucket, Stem(place, run) + "/");
}

OrError<Cleaned> CleanRuns(const Service& service, const RunPlace& place, std::int64_t now, std::ostream& out) {
  const auto names = NamesOfRuns(service, place);
  if (!names) return Failed(names.error());
  std::vector<std::string> runs;
  for (const std::string& name : *names) runs.push_back(RunIn(name, place, place.shared_bucket.empty() ? '-' : '/'));
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  Cleaned cleaned;
  for (const std::string& run : runs) {
    if (run.empty()) continue;
    const auto marker =
        Get(service, Substitute("/storage/v1/b/{bucket}/o/{object|encoded}?alt=media", MarkerOf(place, run)));
    if (!marker || marker->value("run", "") != run) continue;
    if (marker->value("ends_at", std::int64_t{0}) > now) {
      out << Stem(place, run) + " may be running still: left\n";
      ++cleaned.running;
      continue;
    }
    const auto removed = RemoveRun(service, place, run);
    out << Stem(place, run) + (removed ? ": removed" : ": " + removed.error()) + "\n";
    ++(removed ? cleaned.runs : cleaned.failed);
  }
  return cleaned;
}

}  // namespace gcsflux::conformance
