#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gcsflux/result.h"

// Threads that may fail to start: std::thread throws if the system starts none.
namespace gcsflux::internal {

/// kLocalIo with advice.
inline Error NoThread(const std::string& why) {
  return {ErrorCode::kLocalIo, "no thread could be started (" + why +
                                   "): lower the number of requests at a time (max_concurrency), or raise "
                                   "the limits on processes and memory (ulimit -u, ulimit -v, the container's pids)"};
}

/// `start()` returns the thread or object that it started.
template <class Start>
auto TryToStart(Start start) -> Result<decltype(start())> {
  try {
    return start();
  } catch (const std::system_error& error) {
    return NoThread(error.code().message());
  } catch (const std::bad_alloc&) {
    return NoThread("out of memory");
  }
}

/// A thread that runs `body`.
template <class Body>
Result<std::jthread> StartThread(const Body& body) {
  return TryToStart([&] { return std::jthread(body); });
}

/// How many threads may be started under the limit on the process's addresses (ulimit -v): their stacks and malloc's
/// arenas take at most half of what is left, because the memory that they use comes from the rest. At least 1.
std::size_t ThreadsWithinAddresses();

/// Starts threads that run `body` until there are `wanted`. If the system starts no more, or there are no addresses for
/// their memory, returns why there are fewer. If the system refuses one, a quarter of the started threads is ended, so
/// that name look-ups, which need a thread each, and memory remain possible.
template <class Body>
std::optional<Error> StartThreads(std::vector<std::jthread>& threads, std::size_t wanted, const Body& body) {
  const std::size_t most = ThreadsWithinAddresses();
  while (threads.size() < wanted) {
    if (threads.size() == most) return NoThread("too few addresses");
    auto added = TryToStart([&] { return threads.emplace_back(body).joinable(); });
    if (added) continue;
    threads.resize(threads.size() - threads.size() / 4);
    return added.error();
  }
  return std::nullopt;
}

}  // namespace gcsflux::internal
