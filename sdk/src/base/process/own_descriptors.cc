#include "base/process/own_descriptors.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/process/leaf_section.h"
#include "base/process/mutex.h"

namespace gcsflux::internal {
namespace {

// If other code has closed the first descriptor, the inode tells it from a later one with the same number.
struct Entry {
  int descriptor = -1;
  ino_t inode = 0;
};

struct Registry {
  LeafMutex mutex;
  std::vector<Entry> entries GUARDED_BY(mutex);
};

Registry& TheRegistry() {
  static auto& registry = *new Registry;  // Never destroyed: clients may live longer than static objects.
  return registry;
}

constinit thread_local int uses = 0;

ino_t InodeOf(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 ? found.st_ino : 0;
}

// True if it was there.
bool Remove(int descriptor) {
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  const auto found = std::find_if(registry.entries.begin(), registry.entries.end(),
                                  [&](const Entry& entry) { return entry.descriptor == descriptor; });
  if (found == registry.entries.end()) return false;
  *found = registry.entries.back();
  registry.entries.pop_back();
  return true;
}

}  // namespace

void AddOwnDescriptor(int descriptor) {
  Registry& registry = TheRegistry();
  const MutexLock lock(registry.mutex);
  // Other code may have closed an earlier one with this number, without a notice.
  std::erase_if(registry.entries, [&](const Entry& entry) { return entry.descriptor == descriptor; });
  registry.entries.push_back({descriptor, InodeOf(descriptor)});
}

void ForgetOwnDescriptor(int descriptor) { static_cast<void>(Remove(descriptor)); }

void CloseOwnDescriptor(int descriptor) {
  const LeafSection leaf;
  if (Remove(descriptor)) static_cast<void>(::close(descriptor));
}

UsesOwnDescriptors::UsesOwnDescriptors() { ++uses; }
UsesOwnDescriptors::~UsesOwnDescriptors() { --uses; }

// Without the mutex: this thread is the only one.
void CloseOwnDescriptorsInChild() NO_THREAD_SAFETY_ANALYSIS {
  std::vector<Entry>& entries = TheRegistry().entries;
  // Not connected: it can be neither read nor written.
  int dead = uses > 0 ? ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  for (const auto& [descriptor, inode] : entries) {
    if (inode != InodeOf(descriptor)) continue;
    if (dead < 0 || ::dup3(dead, descriptor, O_CLOEXEC) < 0) static_cast<void>(::close(descriptor));
    if (dead < 0 && uses > 0)
      dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);  // There was no free descriptor before.
  }
  if (dead >= 0) static_cast<void>(::close(dead));
  if (uses == 0) entries.clear();
}

}  // namespace gcsflux::internal
