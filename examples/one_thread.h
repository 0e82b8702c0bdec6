#pragma once

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace examples {

/// Lets an operation run on its caller's thread alone. Threads that share one operation spin while they wait for each
/// other, and loaders and saves need a core too. OpenBLAS has threads of its own, which libtorch does not know.
inline void UseOneThread() {
  at::set_num_threads(1);
  void* const found = ::dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (found != nullptr) reinterpret_cast<void (*)(int)>(found)(1);
}

}  // namespace examples
