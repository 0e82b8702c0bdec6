#include <algorithm>

#include "base/call_user_code.h"
#include "client/client_core.h"
#include "gcsflux/client.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {

Result<void> RunConcurrently(const Client& client, std::size_t count, int max_concurrency,
                             const std::function<Result<void>(std::size_t index, const std::stop_token& stop)>& work,
                             const std::stop_token& stop) {
  const auto call = [&work](std::size_t index, const std::stop_token& asked) {
    return internal::CallUserCode("work", [&] { return work(index, asked); });
  };
  return internal::RunOnThreads(count, static_cast<std::size_t>(std::max(1, max_concurrency)), call, stop,
                                &CoreOf(client).observer());
}

}  // namespace gcsflux
