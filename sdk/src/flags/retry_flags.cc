// The flags for failures: retries, throttling, idempotency and hedging.
#include <gflags/gflags.h>

#include <string>
#include <utility>

#include "flags/flag_values.h"

DEFINE_bool(
    pace_throttled, true,
    "Throttled requests (429) wait at a gate, which finds the rate that the service allows. If false, each waits "
    "on its own, as after other failures. Set it to false if something else paces the requests of all clients.");

DEFINE_string(idempotency, "strict",
              "Which calls are retried: strict (those that cannot take effect twice), always, or token (all, "
              "because the service recognises a retry by its token). Set it to always if a repeated effect "
              "does no harm. Set it to token if calls without a precondition must be retried after lost "
              "answers.");

DEFINE_double(hedge_budget, gcsflux::ClientOptions().hedge_budget,
              "Share of reads that may be sent a second time because they stall. Set it to 0 if each "
              "request is billed, or if all of an endpoint stalls at once.");
DEFINE_double(hedge_stall_factor, gcsflux::ClientOptions().hedge_stall_factor,
              "A read stalls if it takes this many times longer than 95 % of the others. Lower it "
              "if the last of many reads delays all the others.");
DEFINE_double(hedge_min_stall_s, gcsflux::internal::InSeconds(gcsflux::ClientOptions().hedge_min_stall),
              "A read that takes less than this does not stall. Lower it on a network that always answers "
              "sooner.");

// The flags of one policy. The texts are the same for all kinds.
#define RETRY_FLAGS(kind, of)                                                                                        \
  DEFINE_double(kind##_retry_initial_delay_s, gcsflux::internal::InSeconds(gcsflux::RetryOptions().initial_delay),   \
                "Bound of the first wait before a failed " of                                                        \
                " is retried. Raise it if many clients fail at the same time.");                                     \
  DEFINE_double(kind##_retry_multiplier, gcsflux::RetryOptions().multiplier,                                         \
                "Growth of that bound per failure. Lower it (1.2) if long waits cost more than requests.");          \
  DEFINE_double(kind##_retry_max_delay_s, gcsflux::internal::InSeconds(gcsflux::RetryOptions().max_delay),           \
                "Largest bound of a wait. Raise it if outages last long and each request costs.");                   \
  DEFINE_double(kind##_retry_jitter, gcsflux::RetryOptions().jitter,                                                 \
                "Share of a wait that is random: 1 (full jitter), 0.5 (equal jitter: the upper half) or 0. Change "  \
                "it for comparisons.");                                                                              \
  DEFINE_double(kind##_retry_deadline_s, gcsflux::internal::InSeconds(gcsflux::RetryOptions().deadline),             \
                "How long a failing " of                                                                             \
                " is retried after its last progress. Raise it to outlast outages. Lower "                           \
                "it to get the error sooner.");                                                                      \
  DEFINE_int32(kind##_retry_max_attempts, gcsflux::RetryOptions().max_attempts,                                      \
               "Most attempts. Set it to 1 to see each failure; otherwise the deadline ends the attempts.");         \
  DEFINE_double(kind##_retry_budget, gcsflux::RetryOptions().budget,                                                 \
                "Largest share of retries among requests; 10 per second are always allowed, and others wait. Raise " \
                "it if single failures are frequent and independent.")

RETRY_FLAGS(list, "listing");
RETRY_FLAGS(download, "download");
RETRY_FLAGS(upload, "upload");
RETRY_FLAGS(metadata, "request for metadata");
#undef RETRY_FLAGS

namespace gcsflux::internal {
namespace {

constexpr NamedValue<IdempotencyPolicy> kIdempotencyPolicies[] = {{"strict", IdempotencyPolicy::kStrict},
                                                                  {"always", IdempotencyPolicy::kAlwaysRetry},
                                                                  {"token", IdempotencyPolicy::kToken}};

Result<void> ReadRetryFlags(const std::string& prefix, RetryOptions& options) {
  return ReadFlags({{prefix + "initial_delay_s", &options.initial_delay},
                    {prefix + "multiplier", &options.multiplier},
                    {prefix + "jitter", &options.jitter},
                    {prefix + "max_delay_s", &options.max_delay},
                    {prefix + "deadline_s", &options.deadline},
                    {prefix + "max_attempts", &options.max_attempts},
                    {prefix + "budget", &options.budget}});
}

}  // namespace

Result<void> SetRetriesFromFlags(ClientOptions& options) {
  for (const auto& [prefix, policy] : {std::pair("list_retry_", &options.retry.list),
                                       {"download_retry_", &options.retry.download},
                                       {"upload_retry_", &options.retry.upload},
                                       {"metadata_retry_", &options.retry.metadata}}) {
    if (auto read = ReadRetryFlags(prefix, *policy); !read) return read;
  }
  if (auto read = ReadNamed("idempotency", options.idempotency, kIdempotencyPolicies); !read) return read;
  return ReadFlags({{"pace_throttled", &options.pace_throttled},
                    {"hedge_budget", &options.hedge_budget},
                    {"hedge_stall_factor", &options.hedge_stall_factor},
                    {"hedge_min_stall_s", &options.hedge_min_stall}});
}

}  // namespace gcsflux::internal
