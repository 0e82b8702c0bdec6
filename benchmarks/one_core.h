#pragma once

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace gcsflux::bench {

/// Computations of this process take one core. OpenBLAS has threads of its own, which libtorch does not know.
inline void UseOneCore() {
  at::set_num_threads(1);
  void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (found != nullptr) reinterpret_cast<void (*)(int)>(found)(1);
}

/// The service has machines of its own: its threads get what a training leaves of this one.
inline void LetOthersGoFirst(pid_t process) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(std::stoi(thread.path().filename())), 19);
  }
}

}  // namespace gcsflux::bench
