#include "base/process/owner_process.h"

#include <string>
#include <vector>

#include "base/process/mutex.h"

namespace gcsflux::internal {

constinit std::atomic<std::uint64_t> process_generation = 0;

Error OwnerProcess::Refuse(const char* what) {
  return {ErrorCode::kForked, std::string("fork(): ") + what + " was begun by the parent process; begin again here"};
}

void NeverDestroy(const void* object) {
  const LeafSection leaf;  // Before the first one is made.
  static auto& kept = *new std::vector<const void*>;
  static auto& mutex = *new LeafMutex;
  const MutexLock lock(mutex);
  kept.push_back(object);
}

}  // namespace gcsflux::internal
