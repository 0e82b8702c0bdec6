#include <exception>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "base/process/environment.h"
#include "gcsflux/torch/collective.h"
#include "torch/failure.h"
#include "torch/processes/longest_wait.h"

namespace gcsflux {
namespace {

constexpr std::chrono::milliseconds kLongestEnd = std::chrono::seconds(1);

/// The store that this process serves. c10d's server ends only when it has read what a connection has begun to send,
/// and a stranger may send half of something: its end is awaited for a short time, and then left to a thread.
class ServedStore final : public c10d::PrefixStore {
 public:
  using PrefixStore::PrefixStore;
  ~ServedStore() override {
    std::promise<void> ended;
    const std::future<void> end = ended.get_future();
    try {
      std::thread([store = std::move(store_), ended = std::move(ended)]() mutable {
        store.reset();
        ended.set_value();
      }).detach();
      end.wait_for(kLongestEnd);
    } catch (const std::exception&) {
      return;  // There is no thread. It has ended on this one.
    }
  }
};

// torchrun's agent serves a store for its workers, each start of which has its own keys. PyTorch's workers use them
// too.
std::optional<std::string> PrefixInAgentStore(const RunEnvironment& run) {
  if (run.launcher != "torchrun" || internal::ProcessEnv("TORCHELASTIC_USE_AGENT_STORE") != "True") return std::nullopt;
  return "/worker/attempt_" + internal::ProcessEnv("TORCHELASTIC_RESTART_COUNT").value_or("0");
}

}  // namespace

c10::intrusive_ptr<c10d::Store> OpenProcessStore(const RunEnvironment& run, std::chrono::milliseconds deadline) {
  if (run.world_size == 1) return {};
  deadline = AtMostACentury(deadline);
  if (!run.store_file.empty()) {
    auto store = c10::make_intrusive<c10d::FileStore>(run.store_file, run.world_size);
    store->setTimeout(deadline);
    return store;
  }
  const std::string rank = "rank " + std::to_string(run.rank);
  if (run.master_host.empty()) {
    throw Failure(ErrorCode::kInvalidArgument,
                  rank + " does not know where rank 0 is; set MASTER_ADDR, and MASTER_PORT if it is not 29500");
  }
  if (run.master_port == 0)
    throw Failure(ErrorCode::kInvalidArgument, "MASTER_PORT is 0; set it to a port that is free");
  const auto agent_prefix = PrefixInAgentStore(run);
  c10d::TCPStoreOptions options;
  options.port = run.master_port.value_or(c10d::TCPStoreOptions::kDefaultPort);
  options.isServer = run.rank == 0 && !agent_prefix;
  options.waitWorkers = false;
  options.timeout = deadline;
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(run.master_host, options);
    const std::string prefix = agent_prefix.value_or("job");
    if (options.isServer) return c10::make_intrusive<ServedStore>(prefix, std::move(store));
    return c10::make_intrusive<c10d::PrefixStore>(prefix, std::move(store));
  } catch (const std::exception&) {
    const std::string place = run.master_host + ":" + std::to_string(options.port);
    if (agent_prefix) {
      throw Failure(ErrorCode::kUnreachable, rank + " does not reach the store of torchrun's agent at " + place +
                                                 "; check that torchrun runs, and MASTER_ADDR and MASTER_PORT");
    }
    const std::string what = options.isServer ? " cannot serve the store of the job at " : " does not reach rank 0 at ";
    throw Failure(ErrorCode::kUnreachable,
                  rank + what + place + "; check MASTER_ADDR, and that MASTER_PORT is free on that host");
  }
}

}  // namespace gcsflux
