#include "cli/runs/find_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/arguments/names.h"
#include "formats/events/event_messages.h"
#include "gcsflux/download.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"

namespace gcsflux::cli {
namespace {

using internal::EventHead;

// What a directory has.
struct RunObjects {
  std::vector<DownloadSource> record = {};  // None or one.
  std::vector<DownloadSource> events = {};  // In the order of their names.
};

std::string DirectoryOf(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// The runs under the prefix, by their directories.
Result<std::map<std::string, RunObjects>> ListRuns(const Client& client, const ObjectName& prefix,
                                                   const std::stop_token& stop) {
  const auto listing = ListInParallel(client, prefix, {.stop = stop});
  if (!listing) return listing.error();
  std::map<std::string, RunObjects> runs;
  for (const ListedObject& object : listing->objects) {
    const std::string file = LastName(object.name);
    const bool is_record = file == internal::kRunRecordName;
    if (!is_record && file.find("tfevents") == std::string::npos) continue;
    RunObjects& run = runs[DirectoryOf(object.name)];
    (is_record ? run.record : run.events).push_back(DownloadSources(prefix.bucket, std::span(&object, 1)).front());
  }
  if (runs.empty()) return Error{ErrorCode::kEmptyPrefix, "there are no runs under " + ToUri(prefix)};
  return runs;
}

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void SortSeries(std::vector<RunPoint>& points) {
  const auto by_time = [](const RunPoint& a, const RunPoint& b) {
    return std::pair(a.step, a.wall_time) < std::pair(b.step, b.wall_time);
  };
  std::stable_sort(points.begin(), points.end(), by_time);
  std::vector<RunPoint> kept;
  for (const RunPoint& point : points) {
    if (!kept.empty() && kept.back().step == point.step) kept.pop_back();
    kept.push_back(point);
  }
  points = std::move(kept);
}

class Reading {
 public:
  Reading(const Client& client, const DownloaderOptions& options, const std::stop_token& stop)
      : downloader_(client, options), stop_(stop) {}

  Result<void> ReadRecord(const std::vector<DownloadSource>& source, FoundRun& run) const {
    const auto read = downloader_.Download(source, stop_);
    if (!read) return read.error();
    auto record = internal::ParseRunRecord(TextOf(read->front().bytes), ToUri(source.front().object));
    // Other programs too call a file "run.json".
    if (!record) return {};
    run.metrics = record->metrics;
    run.record = *std::move(record);
    return {};
  }

  Result<void> ReadEvents(const std::vector<DownloadSource>& sources, FoundRun& run) const {
    auto stream = downloader_.Stream(sources, DeliveryOrder::kInOrder, stop_);
    while (true) {
      const auto next = stream.Next();
      if (!next) return next.error();
      if (!*next) break;
      const std::string name = ToUri(sources[(*next)->index].object);
      const auto on_scalar = [&](const EventHead& head, float value) {
        run.series[std::string(head.tag)].push_back({head.step, head.wall_time, value});
      };
      if (const auto scalars = internal::ReadScalars(TextOf((*next)->bytes), name, on_scalar); !scalars)
        return scalars.error();
    }
    run.metrics.clear();
    for (auto& [tag, points] : run.series) {
      SortSeries(points);
      for (const RunPoint& point : points) run.metrics[tag].Add(point.value, point.step);
    }
    return {};
  }

 private:
  const Downloader downloader_;
  const std::stop_token stop_;
};

std::string NameOf(const std::string& directory, const std::string& prefix) {
  const std::string below = directory.substr(prefix.size());
  const std::string name = below.empty() ? directory : below;
  if (name.empty()) return ".";
  return below.empty() ? LastName(name.substr(0, name.size() - 1)) : name.substr(0, name.size() - 1);
}

}  // namespace

std::int64_t FoundRun::LastStep() const {
  std::int64_t last = 0;
  for (const auto& [tag, metric] : metrics) last = std::max(last, metric.step);
  return last;
}

Result<std::vector<FoundRun>> FindRuns(const Client& client, const ObjectName& prefix, bool reads_events,
                                       const std::stop_token& stop) {
  const ObjectName directory{prefix.bucket, AsDirectory(prefix.name)};
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  const auto listed = ListRuns(client, directory, stop);
  if (!listed) return listed.error();
  const Reading reading(client, *options, stop);
  std::vector<FoundRun> runs;
  for (const auto& [name, objects] : *listed) {
    FoundRun run{.name = NameOf(name, directory.name)};
    if (!objects.record.empty()) {
      if (auto read = reading.ReadRecord(objects.record, run); !read) return read.error();
    }
    if (!objects.events.empty() && (reads_events || !run.record)) {
      if (auto read = reading.ReadEvents(objects.events, run); !read) return read.error();
    }
    if (run.record || !objects.events.empty()) runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace gcsflux::cli
