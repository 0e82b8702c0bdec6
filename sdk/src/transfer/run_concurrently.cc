#include <algorithm>

#include "base/call_user_code.h"
#include "client/client_core.h"
#include "gcsflux/client.h"
#include "transfer/threads/worker_pool.h"

namespace gcsflux {

Result<void> RunConcurrently(const Client& client, std::size_t count, int max_concurrency,
                             const std::function<Result<void>(std::size_t index, const std::stop_token& stop)>& work,
                             const std::stop_token& stop) {
  if (count == 0) return {};
  const std::size_t threads = std::min(count, static_cast<std::size_t>(std::max(1, max_concurrency)));
  const auto call = [&work](std::size_t index, const std::stop_token& asked) {
    return internal::CallUserCode("work", [&] { return work(index, asked); });
  };
  return internal::WorkerPool(threads, &CoreOf(client).observer()).Run(count, call, stop);
}

}  // namespace gcsflux
