#include "transfer/downloader/downloader_core.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/option_range.h"
#include "client/client_core.h"
#include "transfer/composition/composed_fetch.h"
#include "transfer/composition/group_planner.h"
#include "transfer/download/joined_fetch.h"
#include "transfer/downloader/cached_fetch.h"

namespace gcsflux::internal {
namespace {

std::size_t Connections(const DownloaderOptions& options) {
  return static_cast<std::size_t>(std::clamp(options.max_concurrency, 1, kMaxConcurrency));
}

std::size_t FirstConnections(const DownloaderOptions& options) {
  return options.adapts_concurrency ? ConnectionCount::First(Connections(options)) : Connections(options);
}

// The system allows fewer connections than were wanted.
void ReportShortage(const Client& client, const RequestSlots& slots, std::size_t wanted) {
  const auto shortage = slots.shortage();
  if (!shortage || slots.limit() >= wanted) return;
  CoreOf(client).observer().Report({.kind = EventKind::kThreadShortage,
                                    .error = &*shortage,
                                    .what = "connections",
                                    .wanted = wanted,
                                    .started = slots.limit()});
}

std::unique_ptr<ConnectionFinder> MakeFinder(const Client& client, const DownloaderOptions& options,
                                             const std::shared_ptr<RequestSlots>& slots) {
  if (!options.adapts_concurrency) return nullptr;
  return std::make_unique<ConnectionFinder>(client, GateClass::kRead, Connections(options),
                                            [client, slots](std::size_t number) {
                                              slots->SetLimit(number);
                                              ReportShortage(client, *slots, number);
                                            });
}

std::unique_ptr<Composer> MakeComposer(const Client& client, const DownloaderOptions& options,
                                       const std::shared_ptr<RequestSlots>& slots, ConnectionFinder* finder) {
  if (options.composition == CompositionMode::kOff) return nullptr;
  std::function<void(std::uint64_t)> on_read;
  if (finder != nullptr) on_read = [finder, &slots](std::uint64_t bytes) { finder->OnDone(bytes, slots->busy()); };
  return std::make_unique<Composer>(client,
                                    Composer::Settings{.mode = options.composition,
                                                       .encryption_key = options.encryption_key,
                                                       .kms_key_name = options.composition_kms_key_name,
                                                       .call = options.call,
                                                       .on_read = std::move(on_read)},
                                    slots);
}

std::function<void(const ReadTimes&)> Listener(Composer* composer, ConnectionFinder* finder,
                                               const std::shared_ptr<RequestSlots>& slots) {
  if (composer == nullptr && finder == nullptr) return nullptr;
  return [composer, finder, &slots, ignored = std::make_shared<std::atomic<int>>(0)](const ReadTimes& times) {
    if (composer != nullptr) composer->estimates().NoteRead(times);
    if (finder == nullptr) return;
    // While it is not known whether composites will replace such reads, they are ignored, because composites need fewer
    // connections; but that may take long.
    constexpr int kMostIgnored = 128;
    const bool is_provisional = composer != nullptr && composer->is_deciding();
    if (!is_provisional || (*ignored)++ >= kMostIgnored) finder->OnDone(times.bytes, slots->busy());
  };
}

template <class Plan>
std::optional<GroupPlan> PlanNext(SourceWindow& sources, std::size_t first, const Plan& plan) {
  const SourceWindow::Rest rest = sources.From(first);
  if (rest.is_over) return GroupPlan{.first = first, .count = 0};
  if (rest.sources.empty()) return std::nullopt;
  return plan(rest);
}

}  // namespace

DownloaderCore::DownloaderCore(Client client, DownloaderOptions options, std::shared_ptr<DiskCache> cache)
    : client_(std::move(client)),
      options_(std::move(options)),
      cache_(std::move(cache)),
      slots_(std::make_shared<RequestSlots>(CoreOf(client_).loops(), FirstConnections(options_))),
      finder_(MakeFinder(client_, options_, slots_)),
      composer_(MakeComposer(client_, options_, slots_, finder_.get())),
      reads_{client_, options_, Listener(composer_.get(), finder_.get(), slots_)} {
  if (slots_->is_usable()) ReportShortage(client_, *slots_, FirstConnections(options_));
}

Result<void> DownloaderCore::CheckReady() const {
  if (auto checked =
          CheckRanges({{"DownloaderOptions::max_concurrency", RangeOf("max_concurrency"), options_.max_concurrency}});
      !checked)
    return checked;
  if (!slots_->is_usable()) return *slots_->shortage();
  return {};
}

FetchMethod DownloaderCore::MethodFor(SourceWindow& sources, std::uint64_t max_group_bytes) const {
  if (composer_) {
    return ComposingMethod(sources, std::min(options_.max_composite_bytes, max_group_bytes));
  }
  return {
      .plan =
          [this, &sources, max_group_bytes](std::size_t first) {
            return PlanNext(sources, first, [&](const SourceWindow::Rest& rest) {
              return PlanRead(rest.sources, first, max_group_bytes);
            });
          },
      .begin = [this, &sources](const GroupPlan& group,
                                std::span<Destination> destinations) { return Begin(sources, group, destinations); }};
}

// Without a composite.
GroupPlan DownloaderCore::PlanRead(std::span<const DownloadSource> rest, std::size_t first,
                                   std::uint64_t max_bytes) const {
  const std::size_t joined = TakeJoined(rest, max_bytes);
  if (joined > 1) return {.first = first, .count = joined};
  return PlanDirect(rest.front(), first, options_.range_bytes);
}

std::unique_ptr<GroupFetch> DownloaderCore::Begin(SourceWindow& sources, const GroupPlan& group,
                                                  std::span<Destination> destinations) const {
  const auto together = sources.Of(group.first, group.count);
  if (!cache_) return FetchFromService(together, destinations, group.ranges);
  return std::make_unique<CachedFetch>(*cache_, together, destinations, [&](std::size_t first, std::size_t count) {
    return FetchFromService(together.subspan(first, count), destinations.subspan(first, count), group.ranges);
  });
}

std::unique_ptr<GroupFetch> DownloaderCore::FetchFromService(std::span<const DownloadSource> sources,
                                                             std::span<Destination> destinations,
                                                             std::size_t ranges) const {
  if (sources.size() == 1) {
    return std::make_unique<DirectFetch>(reads_, sources.front(), destinations.front(), ranges);
  }
  if (sources.front().offset) return std::make_unique<JoinedFetch>(reads_, sources, destinations);
  return std::make_unique<ComposedFetch>(*composer_, reads_, sources, destinations);
}

FetchMethod DownloaderCore::ComposingMethod(SourceWindow& sources, std::uint64_t max_bytes) const {
  const auto planner = std::make_shared<GroupPlanner>(composer_->planning(), options_.composition,
                                                      PlannerLimits{.composite_bytes = max_bytes,
                                                                    .range_bytes = options_.range_bytes,
                                                                    .kms_key_name = options_.composition_kms_key_name,
                                                                    .connections = [this] { return slots_->limit(); }});
  return {
      .plan =
          [this, planner, &sources, max_bytes](std::size_t first) {
            return PlanNext(sources, first, [&](const SourceWindow::Rest& rest) {
              if (rest.sources.front().offset) return PlanRead(rest.sources, first, max_bytes);
              return planner->Plan(first, rest.sources, rest.expected);
            });
          },
      .begin = [this, &sources](const GroupPlan& group,
                                std::span<Destination> destinations) { return Begin(sources, group, destinations); }};
}

CompositionReport DownloaderCore::composition_report() const {
  return composer_ ? composer_->report() : CompositionReport{};
}

}  // namespace gcsflux::internal
