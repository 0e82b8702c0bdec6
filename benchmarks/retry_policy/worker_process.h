#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "retry_policy/figures.h"

namespace gcsflux::bench {

/// A worker (worker.h), as seen by the process that started it. Ends with this object. One thread at a time; the thread
/// that makes it must outlive it.
class WorkerProcess {
 public:
  /// Starts this program again with these arguments, and waits until it is ready. Throws std::runtime_error if it does
  /// not become ready.
  explicit WorkerProcess(const std::vector<std::string>& arguments);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  void Begin(std::chrono::steady_clock::time_point start, double seconds);
  /// Its calls, once it is done. Throws std::runtime_error if it failed.
  std::vector<CallRecord> Finish();

 private:
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace gcsflux::bench
