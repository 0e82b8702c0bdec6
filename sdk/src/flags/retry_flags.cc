#include "flags/retry_flags.h"

#include <gflags/gflags.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "flags/flag_values.h"

DEFINE_string(throttle_policy, "gate",
              "What throttled requests (429) do: gate (they wait for their turn at the rate that is to be had), or, to "
              "compare, full_jitter, decorrelated, multiplier (Google's connector) or none.");

DEFINE_string(
    idempotency, "strict",
    "Which calls are repeated: strict (those that cannot take effect twice), always, or token (all, since the service "
    "knows a repeated request by its token). Set it to always where a repeated effect is no harm, to token where calls "
    "without a precondition are to outlive lost answers.");

DEFINE_double(hedge_budget, 0.05,
              "Share of reads that may be sent a second time because they stand still, 0 to 1. Set it to 0 where each "
              "request is billed, or where all of an endpoint stalls at once.");
DEFINE_double(
    hedge_stall_factor, 3.0,
    "A read stands still when it takes so many times longer than 95 % of the others, at least 1. Lower it where "
    "the last of many reads holds up all.");
DEFINE_double(hedge_min_stall_s, 0.1,
              "And never when it takes less than this. Lower it on a network that always answers sooner.");

// One policy's flags. What each is for is said once, for all kinds.
#define RETRY_FLAGS(kind, of)                                                                                       \
  DEFINE_double(kind##_retry_initial_delay_s, 0.1,                                                                  \
                "Bound of the first wait before a failed " of                                                       \
                " is repeated. Raise it when many clients fail together.");                                         \
  DEFINE_double(                                                                                                    \
      kind##_retry_multiplier, 2.0,                                                                                 \
      "Growth of that bound per failure, at least 1. Lower it (1.2) when long waits cost more than requests.");     \
  DEFINE_double(kind##_retry_max_delay_s, 2.0,                                                                      \
                "Largest bound of a wait. Raise it where outages last and each request costs.");                    \
  DEFINE_string(kind##_retry_jitter, "equal",                                                                       \
                "How waits spread below their bound: equal (upper half), full, decorrelated or none. Change it to " \
                "compare.");                                                                                        \
  DEFINE_double(kind##_retry_deadline_s, 120.0,                                                                     \
                "How long a failing " of                                                                            \
                " is repeated, since its last progress. Raise it to sit outages out, lower "                        \
                "it to hear of them sooner.");                                                                      \
  DEFINE_int32(kind##_retry_max_attempts, 1'000'000,                                                                \
               "Attempts in all. Set it to 1 to see each failure; else leave it to the deadline.");                 \
  DEFINE_double(                                                                                                    \
      kind##_retry_budget, 0.2,                                                                                     \
      "Share of repetitions among requests beyond which they wait, 10 a second aside. Raise it where single "       \
      "failures are many and independent.")

RETRY_FLAGS(list, "listing");
RETRY_FLAGS(download, "download");
RETRY_FLAGS(upload, "upload");
RETRY_FLAGS(metadata, "request for metadata");
#undef RETRY_FLAGS

namespace gcsflux::internal {
namespace {

constexpr NamedValue<Jitter> kJitters[] = {{"full", Jitter::kFull},
                                           {"equal", Jitter::kEqual},
                                           {"decorrelated", Jitter::kDecorrelated},
                                           {"none", Jitter::kNone}};
constexpr NamedValue<ThrottlePolicy> kThrottlePolicies[] = {{"gate", ThrottlePolicy::kGate},
                                                            {"full_jitter", ThrottlePolicy::kFullJitter},
                                                            {"decorrelated", ThrottlePolicy::kDecorrelated},
                                                            {"multiplier", ThrottlePolicy::kMultiplier},
                                                            {"none", ThrottlePolicy::kNone}};

constexpr NamedValue<IdempotencyPolicy> kIdempotencyPolicies[] = {{"strict", IdempotencyPolicy::kStrict},
                                                                  {"always", IdempotencyPolicy::kAlwaysRetry},
                                                                  {"token", IdempotencyPolicy::kToken}};

// The value of a flag that is there, which gflags has seen to be one of its type.
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
  if (!(options.multiplier >= 1.0 && options.multiplier <= 100.0)) {
    return WrongFlag("flag --" + prefix + "multiplier must be from 1 to 100");
  }
  if (options.max_attempts < 1) return WrongFlag("flag --" + prefix + "max_attempts must be at least 1");
  if (!(options.budget >= 0.0 && options.budget <= 100.0)) {
    return WrongFlag("flag --" + prefix + "budget must be from 0 to 100");
  }
  return options;
}

Result<HedgeOptions> HedgeOptionsFromFlags() {
  if (!(FLAGS_hedge_budget >= 0.0 && FLAGS_hedge_budget <= 1.0))
    return WrongFlag("flag --hedge_budget must be from 0 to 1");
  if (!(FLAGS_hedge_stall_factor >= 1.0 && FLAGS_hedge_stall_factor <= 1000.0)) {
    return WrongFlag("flag --hedge_stall_factor must be from 1 to 1000");
  }
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
