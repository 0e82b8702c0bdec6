#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "retry_policy/figures.h"

namespace gcsflux::bench {

/// A worker (worker.h) seen by the process that started it. Gone when this is. One thread at a time; it is to be made
/// by a thread that outlives it.
class WorkerProcess {
 public:
  /// Runs this program once more with these arguments, and waits until it is ready. Throws std::runtime_error where it
  /// does not get so far.
  explicit WorkerProcess(const std::vector<std::string>& arguments);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void Begin(std::chrono::steady_clock::time_point start, double seconds);
  /// Its calls, once it is done. Throws std::runtime_error where it failed.
  std::vector<CallRecord> Finish();

 private:
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace gcsflux::bench
