#include "transfer/downloader/cached_fetch.h"

#include <utility>

#include "loop/user_code_threads.h"

namespace gcsflux::internal {

CachedFetch::CachedFetch(DiskCache& cache, std::span<const DownloadSource> sources, std::span<Destination> destinations,
                         const MakeFetch& make)
    : cache_(cache), sources_(sources), destinations_(destinations) {
  RunUserCode(UserCode::kWaitsForDisk, [this] { missing_ = FindMissing(); });
  for (Missing& missing : missing_) missing.fetch = make(missing.first, missing.count);
}

std::vector<CachedFetch::Missing> CachedFetch::FindMissing() {
  std::vector<Missing> all;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (cache_.Read(sources_[i], [&] { return destinations_[i].Open(); })) continue;
    if (!all.empty() && all.back().first + all.back().count == i) {
      ++all.back().count;
    } else {
      all.push_back({.first = i, .count = 1});
    }
  }
  return all;
}

Result<void> CachedFetch::FetchRange(std::size_t range, const std::stop_token& stop) {
  // Only one source has several ranges.
  if (sources_.size() == 1) return missing_.empty() ? Result<void>() : missing_.front().fetch->FetchRange(range, stop);
  for (Missing& missing : missing_) {
    if (missing.is_finished) continue;
    if (auto fetched = missing.fetch->FetchRange(0, stop); !fetched) return fetched;
  }
  return {};
}

GroupOutcome CachedFetch::Finish(const std::stop_token& stop) {
  bool is_to_be_repeated = false;
  for (Missing& missing : missing_) {
    if (missing.is_finished) continue;
    GroupOutcome outcome = missing.fetch->Finish(stop);
    missing.is_finished = !outcome.is_to_be_repeated;
    is_to_be_repeated = is_to_be_repeated || outcome.is_to_be_repeated;
    if (outcome.errors.empty()) continue;
    outcome_.errors.resize(sources_.size());
    std::move(outcome.errors.begin(), outcome.errors.end(),
              outcome_.errors.begin() + static_cast<std::ptrdiff_t>(missing.first));
  }
  if (is_to_be_repeated) return {.is_to_be_repeated = true};
  // Before the consumer gets the bytes: it may change them.
  if (!missing_.empty()) RunUserCode(UserCode::kWaitsForDisk, [this] { Keep(outcome_); });
  return std::move(outcome_);
}

void CachedFetch::Keep(const GroupOutcome& outcome) {
  for (const Missing& missing : missing_) {
    for (std::size_t i = missing.first; i < missing.first + missing.count; ++i) {
      const bool has_failed = !outcome.errors.empty() && outcome.errors[i];
      if (!has_failed) cache_.Write(sources_[i], destinations_[i].bytes);
    }
  }
}

}  // namespace gcsflux::internal
