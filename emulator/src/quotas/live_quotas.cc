#include "quotas/live_quotas.h"

#include <algorithm>
#include <cmath>

#include "quotas/quota_settings.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::nanoseconds;
using Lock = std::scoped_lock<std::mutex>;

// At most doubling over 20 minutes: https://cloud.google.com/storage/docs/request-rate#ramp-up
constexpr nanoseconds kDoubling = std::chrono::minutes(20);
constexpr std::chrono::hours kForgotten{1};
constexpr std::size_t kManyBuckets = 1024;

std::optional<TokenRate> RateOf(const std::optional<double>& per_second, double depth_ms, double times = 1) {
  return per_second ? std::optional(TokenRate::Of(*per_second * times, depth_ms)) : std::nullopt;
}

// The name of a bucket contains no slash.
std::string ObjectKey(const QuotaRequest& request) { return request.bucket + "/" + request.name; }

bool HasLimits(const Quotas& quotas) {
  return quotas.reads_per_second || quotas.writes_per_second || quotas.range_reads_per_second ||
         quotas.range_writes_per_second || quotas.object_mutations_per_second || quotas.bucket_updates_per_second ||
         quotas.egress_mbps;
}

}  // namespace

LiveQuotas::LiveQuotas(const Quotas& initial, const Clock& clock) : initial_(initial), clock_(clock) { Set(initial); }

void LiveQuotas::Set(const Quotas& quotas) {
  CheckQuotas(quotas);
  const Lock lock(mutex_);
  quotas_ = quotas;
  Apply(clock_.Now());
}

Quotas LiveQuotas::Get() const {
  const Lock lock(mutex_);
  return quotas_;
}

QuotaCounters LiveQuotas::counters() const {
  const Lock lock(mutex_);
  const auto refused = [this](QuotaCause cause) { return refused_[static_cast<std::size_t>(cause)]; };
  QuotaCounters counters{.admitted = admitted_,
                         .refused_reads = refused(QuotaCause::kReads),
                         .refused_writes = refused(QuotaCause::kWrites),
                         .refused_range_reads = refused(QuotaCause::kRangeReads),
                         .refused_range_writes = refused(QuotaCause::kRangeWrites),
                         .refused_object_mutations = refused(QuotaCause::kObjectMutations),
                         .refused_bucket_updates = refused(QuotaCause::kBucketUpdates),
                         .refused_egress = refused(QuotaCause::kEgress)};
  for (const auto& [name, bucket] : buckets_) {
    if (bucket.count_ranges() != 0) counters.ranges.emplace(name, bucket.count_ranges());
  }
  return counters;
}

void LiveQuotas::Reset() {
  const Lock lock(mutex_);
  quotas_ = initial_;
  buckets_.clear();
  object_mutations_.Clear();
  bucket_updates_.Clear();
  egress_.reset();
  admitted_ = 0;
  refused_ = {};
  Apply(clock_.Now());
}

QuotaVerdict LiveQuotas::Admit(std::span<const QuotaRequest> changes) {
  const Lock lock(mutex_);
  const Clock::Time now = clock_.Now();  // under the lock, so that times ascend
  std::vector<Limits> limits;
  for (const QuotaRequest& request : changes) {
    limits.push_back(request.updates_bucket ? Limits()
                                            : Find(now, request.bucket).Record(now, request.is_write, request.name));
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto cause = FindRefusal(now, changes[i], limits[i]);
    if (!cause) continue;
    ++refused_[static_cast<std::size_t>(*cause)];
    if (quotas_.refused_count) TakeThoughRefused(now, changes[i], limits[i], *cause);
    return {.refused_by = cause, .refused = i, .retry_after_s = quotas_.retry_after_s};
  }
  for (std::size_t i = 0; i < changes.size(); ++i) Take(now, changes[i], limits[i]);
  ++admitted_;
  return {.delay = DelayNear(limits.back())};
}

void LiveQuotas::ChargeEgress(std::uint64_t bytes) {
  const Lock lock(mutex_);
  if (egress_) egress_->Take(clock_.Now(), static_cast<double>(bytes));
}

void LiveQuotas::Apply(Clock::Time now) {
  const BucketQuota::Settings settings = BucketSettings();
  for (auto& [name, bucket] : buckets_) bucket.Set(now, settings);
  object_mutations_.SetRate(now, RateOf(quotas_.object_mutations_per_second, quotas_.depth_ms));
  bucket_updates_.SetRate(now, RateOf(quotas_.bucket_updates_per_second, quotas_.depth_ms));
  const std::optional<TokenRate> egress = RateOf(quotas_.egress_mbps, quotas_.depth_ms, 1e6);
  if (egress_ && egress) {
    egress_->SetRate(now, *egress);
  } else {
    egress_ = egress ? std::optional<TokenBucket>(*egress) : std::nullopt;
  }
  is_on_ = HasLimits(quotas_);
}

BucketQuota::Settings LiveQuotas::BucketSettings() const {
  const double doubling = static_cast<double>(kDoubling.count()) / quotas_.ramp_speed;
  return {.rates = {.reads = RateOf(quotas_.reads_per_second, quotas_.depth_ms),
                    .writes = RateOf(quotas_.writes_per_second, quotas_.depth_ms)},
          .ranges = {.rates = {.reads = RateOf(quotas_.range_reads_per_second, quotas_.depth_ms),
                               .writes = RateOf(quotas_.range_writes_per_second, quotas_.depth_ms)},
                     .split_after = nanoseconds(std::llround(doubling))}};
}

BucketQuota& LiveQuotas::Find(Clock::Time now, const std::string& bucket) {
  if (const auto found = buckets_.find(bucket); found != buckets_.end()) return found->second;
  if (buckets_.size() >= kManyBuckets) {
    std::erase_if(buckets_, [&](const auto& entry) { return entry.second.is_as_new_since(now - kForgotten); });
  }
  return buckets_.try_emplace(bucket, now, BucketSettings()).first->second;
}

std::optional<QuotaCause> LiveQuotas::FindRefusal(Clock::Time now, const QuotaRequest& request,
                                                  const Limits& limits) const {
  if (limits.bucket != nullptr && !limits.bucket->HasToken(now)) {
    return request.is_write ? QuotaCause::kWrites : QuotaCause::kReads;
  }
  if (limits.range != nullptr && !limits.range->HasToken(now)) {
    return request.is_write ? QuotaCause::kRangeWrites : QuotaCause::kRangeReads;
  }
  if (request.mutates_object && !object_mutations_.HasToken(now, ObjectKey(request))) {
    return QuotaCause::kObjectMutations;
  }
  if (request.updates_bucket && !bucket_updates_.HasToken(now, request.bucket)) return QuotaCause::kBucketUpdates;
  if (request.sends_media && egress_ && !egress_->HasCredit(now)) return QuotaCause::kEgress;
  return std::nullopt;
}

void LiveQuotas::Take(Clock::Time now, const QuotaRequest& request, const Limits& limits) {
  if (limits.bucket != nullptr) limits.bucket->Take(now);
  if (limits.range != nullptr) limits.range->Take(now);
  if (request.mutates_object) object_mutations_.Take(now, ObjectKey(request));
  if (request.updates_bucket) bucket_updates_.Take(now, request.bucket);
}

void LiveQuotas::TakeThoughRefused(Clock::Time now, const QuotaRequest& request, const Limits& limits,
                                   QuotaCause cause) {
  switch (cause) {
    case QuotaCause::kReads:
    case QuotaCause::kWrites: return limits.bucket->TakeThoughRefused(now);
    case QuotaCause::kRangeReads:
    case QuotaCause::kRangeWrites: return limits.range->TakeThoughRefused(now);
    case QuotaCause::kObjectMutations: return object_mutations_.TakeThoughRefused(now, ObjectKey(request));
    case QuotaCause::kBucketUpdates: return bucket_updates_.TakeThoughRefused(now, request.bucket);
    case QuotaCause::kEgress: return;  // a refusal sends no bytes
  }
}

nanoseconds LiveQuotas::DelayNear(const Limits& limits) const {
  if (quotas_.latency_growth_ms == 0 || limits.bucket == nullptr) return nanoseconds(0);
  const double load = std::max(limits.bucket->load(), limits.range != nullptr ? limits.range->load() : 0);
  const double share = (load - quotas_.latency_growth_from) / (1 - quotas_.latency_growth_from);
  return nanoseconds(std::llround(std::clamp(share, 0.0, 1.0) * quotas_.latency_growth_ms * 1e6));
}

}  // namespace gcsflux::emulator
