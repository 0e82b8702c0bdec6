#include "flags/retry_flags.h"

#include <gflags/gflags.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "flags/flag_values.h"

DEFINE_string(throttle_policy, "gate",
              "How throttled requests (429) wait: gate (at a gate that finds the rate which the service allows), "
              "or backoff (each on its own, as after other failures). Set it to backoff if something else paces the "
              "requests of all clients.");

DEFINE_string(idempotency, "strict",
              "Which calls are retried: strict (those that cannot take effect twice), always, or token (all, "
              "because the service recognises a retry by its token). Set it to always if a repeated effect "
              "does no harm. Set it to token if calls without a precondition must be retried after lost "
              "answers.");

DEFINE_double(hedge_budget, 0.05,
              "Share of reads that may be sent a second time because they stall. Set it to 0 if each "
              "request is billed, or if all of an endpoint stalls at once.");
DEFINE_double(hedge_stall_factor, 3.0,
              "A read stalls if it takes this many times longer than 95 % of the others. Lower it "
              "if the last of many reads delays all the others.");
DEFINE_double(hedge_min_stall_s, 0.1,
              "A read that takes less than this does not stall. Lower it on a network that always answers "
              "sooner.");

// The flags of one policy. The texts are the same for all kinds.
#define RETRY_FLAGS(kind, of)                                                                                        \
  DEFINE_double(kind##_retry_initial_delay_s, 0.1,                                                                   \
                "Bound of the first wait before a failed " of                                                        \
                " is retried. Raise it if many clients fail at the same time.");                                     \
  DEFINE_double(kind##_retry_multiplier, 2.0,                                                                        \
                "Growth of that bound per failure. Lower it (1.2) if long waits cost more than requests.");          \
  DEFINE_double(kind##_retry_max_delay_s, 2.0,                                                                       \
                "Largest bound of a wait. Raise it if outages last long and each request costs.");                   \
  DEFINE_string(kind##_retry_jitter, "equal",                                                                        \
                "How waits spread below their bound: equal (upper half), full or none. Change it for "               \
                "comparisons.");                                                                                     \
  DEFINE_double(kind##_retry_deadline_s, 120.0,                                                                      \
                "How long a failing " of                                                                             \
                " is retried after its last progress. Raise it to outlast outages. Lower "                           \
                "it to get the error sooner.");                                                                      \
  DEFINE_int32(kind##_retry_max_attempts, 1'000'000,                                                                 \
               "Most attempts. Set it to 1 to see each failure; otherwise the deadline ends the attempts.");         \
  DEFINE_double(kind##_retry_budget, 0.2,                                                                            \
                "Largest share of retries among requests; 10 per second are always allowed, and others wait. Raise " \
                "it if single "                                                                                      \
                "failures are frequent and independent.")

RETRY_FLAGS(list, "listing");
RETRY_FLAGS(download, "download");
RETRY_FLAGS(upload, "upload");
RETRY_FLAGS(metadata, "request for metadata");
#undef RETRY_FLAGS

namespace gcsflux::internal {
namespace {

constexpr NamedValue<Jitter> kJitters[] = {{"full", Jitter::kFull}, {"equal", Jitter::kEqual}, {"none", Jitter::kNone}};
constexpr NamedValue<ThrottlePolicy> kThrottlePolicies[] = {{"gate", ThrottlePolicy::kGate},
                                                            {"backoff", ThrottlePolicy::kBackoff}};

constexpr NamedValue<IdempotencyPolicy> kIdempotencyPolicies[] = {{"strict", IdempotencyPolicy::kStrict},
                                                                  {"always", IdempotencyPolicy::kAlwaysRetry},
                                                                  {"token", IdempotencyPolicy::kToken}};

// The value of an existing flag; gflags has checked its type.
std::string TextOf(const std::string& flag) { return gflags::GetCommandLineFlagInfoOrDie(flag.c_str()).current_value; }
double NumberOf(const std::string& flag) { return std::strtod(TextOf(flag).c_str(), nullptr); }

Result<RetryOptions> RetryOptionsFromFlags(const std::string& prefix) {
  RetryOptions options;
  for (const auto& [name, out] : {std::pair("initial_delay_s", &options.initial_delay),
                                  {"max_delay_s", &options.max_delay},
                                  {"deadline_s", &options.deadline}}) {
    const auto value = MillisecondsOfFlag(prefix + name, NumberOf(prefix + name), 0);
    if (!value) return value.error();
    *out = *value;
  }
  const auto jitter = ValueNamed(prefix + "jitter", TextOf(prefix + "jitter"), kJitters);
  if (!jitter) return jitter.error();
  options.jitter = *jitter;
  options.multiplier = NumberOf(prefix + "multiplier");
  options.max_attempts = std::stoi(TextOf(prefix + "max_attempts"));
  options.budget = NumberOf(prefix + "budget");
  for (const auto& [name, value] : {std::pair("multiplier", options.multiplier),
                                    {"max_attempts", options.max_attempts},
                                    {"budget", options.budget}}) {
    if (auto checked = CheckFlag(prefix + name, value); !checked) return checked.error();
  }
  return options;
}

Result<HedgeOptions> HedgeOptionsFromFlags() {
  if (auto checked = CheckFlag("hedge_budget", FLAGS_hedge_budget); !checked) return checked.error();
  if (auto checked = CheckFlag("hedge_stall_factor", FLAGS_hedge_stall_factor); !checked) return checked.error();
  const auto min_stall = MillisecondsOfFlag("hedge_min_stall_s", FLAGS_hedge_min_stall_s, 0.001);
  if (!min_stall) return min_stall.error();
  return HedgeOptions{.budget = FLAGS_hedge_budget, .stall_factor = FLAGS_hedge_stall_factor, .min_stall = *min_stall};
}

}  // namespace

Result<void> SetRetriesFromFlags(ClientOptions& options) {
  for (const auto& [kind, policy] : {std::pair("list", &options.retry.list),
                                     {"download", &options.retry.download},
                                     {"upload", &options.retry.upload},
                                     {"metadata", &options.retry.metadata}}) {
    auto read = RetryOptionsFromFlags(std::string(kind) + "_retry_");
    if (!read) return read.error();
    *policy = *read;
  }
  const auto throttle_policy = ValueNamed("throttle_policy", FLAGS_throttle_policy, kThrottlePolicies);
  if (!throttle_policy) return throttle_policy.error();
  options.throttle_policy = *throttle_policy;
  const auto idempotency = ValueNamed("idempotency", FLAGS_idempotency, kIdempotencyPolicies);
  if (!idempotency) return idempotency.error();
  options.idempotency = *idempotency;
  const auto hedge = HedgeOptionsFromFlags();
  if (!hedge) return hedge.error();
  options.hedge = *hedge;
  return {};
}

}  // namespace gcsflux::internal
