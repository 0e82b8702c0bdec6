#include <exception>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "gcsflux/torch/collective.h"
#include "torch/failure.h"
#include "torch/first_line.h"
#include "torch/processes/longest_wait.h"

namespace gcsflux {

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
  c10d::TCPStoreOptions options;
  options.port = run.master_port.value_or(c10d::TCPStoreOptions::kDefaultPort);
  options.isServer = run.rank == 0;
  options.waitWorkers = false;
  options.timeout = deadline;
  try {
    return c10::make_intrusive<c10d::TCPStore>(run.master_host, options);
  } catch (const std::exception& failure) {
    const std::string place = run.master_host + ":" + std::to_string(options.port);
    const std::string what = options.isServer ? " cannot serve the store of the job at " : " does not reach rank 0 at ";
    throw Failure(ErrorCode::kUnreachable, rank + what + place + ": " + FirstLine(failure) +
                                               "; check MASTER_ADDR, and that MASTER_PORT is free on that host");
  }
}

}  // namespace gcsflux
