#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/quotas.h"
#include "quotas/bucket_quota.h"
#include "quotas/keyed_buckets.h"
#include "quotas/token_bucket.h"

namespace gcsflux::emulator {

/// What a request would take from the quotas.
struct QuotaRequest {
  bool is_write = false;        ///< Else it reads.
  bool updates_bucket = false;  ///< So it counts as neither a read nor a write.
  bool mutates_object = false;
  bool sends_media = false;
  std::string bucket = {};
  std::string name = {};  ///< The object's name, or the name at which a list begins.
};

/// The quota that has nothing left.
enum class QuotaCause { kReads, kWrites, kRangeReads, kRangeWrites, kObjectMutations, kBucketUpdates, kEgress };

struct QuotaVerdict {
  std::optional<QuotaCause> refused_by = {};
  std::size_t refused = 0;                   ///< Which of several changes was refused.
  std::optional<double> retry_after_s = {};  ///< For a refused request.
  std::chrono::nanoseconds delay{0};         ///< For a served one: its limits are near.
};

/// The present quotas, and what is left of them. Thread-safe.
class LiveQuotas final : public QuotaControl {
 public:
  /// `clock` must outlive it. Throws std::invalid_argument.
  LiveQuotas(const Quotas& initial, const Clock& clock);

  void Set(const Quotas& quotas) override;
  [[nodiscard]] Quotas Get() const override;
  [[nodiscard]] QuotaCounters counters() const override;
  /// Returns to the state at the start: settings, levels, ranges and counters.
  void Reset();

  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  /// Takes what the request needs from every quota. If one of them refuses, takes nothing.
  QuotaVerdict Admit(const QuotaRequest& request) { return Admit(std::span(&request, 1)); }
  /// The same for a request that makes several changes, at least one, in one bucket. Each needs a quota with something
  /// left, and takes from it: together they may take more than there is, and the quota owes it.
  QuotaVerdict Admit(std::span<const QuotaRequest> changes);
  /// Charges so many bytes of objects that are sent.
  void ChargeEgress(std::uint64_t bytes);

 private:
  using Limits = BucketQuota::Limits;

  // The following functions are called with mutex_ held.
  void Apply(Clock::Time now);
  [[nodiscard]] BucketQuota::Settings BucketSettings() const;
  BucketQuota& Find(Clock::Time now, const std::string& bucket);
  [[nodiscard]] std::optional<QuotaCause> FindRefusal(Clock::Time now, const QuotaRequest& request,
                                                      const Limits& limits) const;
  void Take(Clock::Time now, const QuotaRequest& request, const Limits& limits);
  void TakeThoughRefused(Clock::Time now, const QuotaRequest& request, const Limits& limits, QuotaCause cause);
  [[nodiscard]] std::chrono::nanoseconds DelayNear(const Limits& limits) const;

  const Quotas initial_;
  const Clock& clock_;
  std::atomic<bool> is_on_ = false;

  mutable std::mutex mutex_;  // guards what follows
  Quotas quotas_;
  std::map<std::string, BucketQuota> buckets_;
  KeyedBuckets object_mutations_;
  KeyedBuckets bucket_updates_;
  std::optional<TokenBucket> egress_;
  std::uint64_t admitted_ = 0;
  std::array<std::uint64_t, 7> refused_ = {};  // by cause
};

}  // namespace gcsflux::emulator
