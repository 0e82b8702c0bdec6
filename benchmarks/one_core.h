#pragma once

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <thread>

namespace gcsflux::bench {

/// Pins this process to one core: a different one for each rank, as long as there are enough.
inline void StayOnCore(int rank) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(rank) % std::thread::hardware_concurrency(), &cores);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    sched_setaffinity(std::stoi(thread.path().filename()), sizeof(cores), &cores);
  }
}

/// Computations of this process use one core. OpenBLAS has threads of its own, which libtorch does not know.
inline void UseOneCore() {
  at::set_num_threads(1);
  void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (found != nullptr) reinterpret_cast<void (*)(int)>(found)(1);
}

/// The service has machines of its own: its threads get the time that a training does not use.
inline void LetOthersGoFirst(pid_t process) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(std::stoi(thread.path().filename())), 19);
  }
}

}  // namespace gcsflux::bench
