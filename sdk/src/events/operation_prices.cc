#include "gcsflux/events.h"

namespace gcsflux {

Counters operator-(const Counters& after, const Counters& before) {
  constexpr std::uint64_t Counters::*kCounts[] = {&Counters::calls,
                                                  &Counters::failures,
                                                  &Counters::requests,
                                                  &Counters::class_a_operations,
                                                  &Counters::class_b_operations,
                                                  &Counters::retries,
                                                  &Counters::budget_waits,
                                                  &Counters::throttled,
                                                  &Counters::stalls,
                                                  &Counters::hedges,
                                                  &Counters::hedges_won,
                                                  &Counters::reads_resumed,
                                                  &Counters::unverified_reads,
                                                  &Counters::sessions_restarted,
                                                  &Counters::token_refreshes,
                                                  &Counters::token_failures,
                                                  &Counters::token_retries,
                                                  &Counters::bytes_sent,
                                                  &Counters::bytes_received,
                                                  &Counters::listener_exceptions};
  Counters difference{.budget_delay = after.budget_delay - before.budget_delay};
  for (const auto count : kCounts) difference.*count = after.*count - before.*count;
  return difference;
}

double PriceOf(const Counters& counters, const OperationPrices& prices) {
  return (static_cast<double>(counters.class_a_operations) * prices.class_a_per_1000 +
          static_cast<double>(counters.class_b_operations) * prices.class_b_per_1000) /
         1000;
}

}  // namespace gcsflux
