#include "cli/parallel/run_adapting.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <memory>

#include "cli/parallel/connection_quota.h"
#include "gcsflux/flags.h"
#include "transfer/connections/connection_finder.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::cli {

Result<Concurrency> ConcurrencyFromFlags() {
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  const int given = options->max_concurrency;
  const bool is_given = !google::GetCommandLineFlagInfoOrDie("max_concurrency").is_default;
  if (!is_given) return Concurrency{.base = given};
  return Concurrency{.base = options->adapts_concurrency ? std::min(given, Concurrency().base) : given, .most = given};
}

Result<void> RunAdapting(const Client& client, const Concurrency& concurrency, const AdaptingTasks& tasks) {
  const auto most = static_cast<std::size_t>(concurrency.most);
  const bool adapts = concurrency.most > concurrency.base;
  ConnectionQuota quota(concurrency.base,
                        adapts ? static_cast<int>(internal::ConnectionCount::First(most)) : concurrency.base);
  internal::ConnectionFinder finder(client, tasks.gate_class, most,
                                    [&](std::size_t number) { quota.SetLimit(static_cast<int>(number)); });
  const auto perform = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const TaskNeeds needs = tasks.needs(index);
    const ConnectionQuota::Lease lease(quota, needs.connections, needs.bytes);
    auto done = tasks.perform(index, lease.count(), stop);
    if (done && adapts) finder.OnDone(needs.bytes, static_cast<std::size_t>(quota.in_use()));
    return done;
  };
  return internal::RunOnThreads(client, tasks.count, std::max(concurrency.base, concurrency.most), perform);
}

}  // namespace gcsflux::cli
