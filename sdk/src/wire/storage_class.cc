#include "gcsflux/storage_class.h"

#include <mutex>
#include <set>

#include "base/process/fork.h"

namespace gcsflux {

// Never destroyed, as `names` below: a listing may outlive main().
const std::string& StorageClass::Empty() {
  static const std::string& empty = *new std::string();
  return empty;
}

StorageClass::StorageClass(std::string_view name) {
  constexpr std::size_t kMostNames = 256;
  static auto& names = *new std::set<std::string, std::less<>>{"STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE"};
  static internal::ForkSafeMutex mutex;
  if (name.empty()) return;
  const std::scoped_lock lock(mutex);
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(names.size() < kMostNames ? name : "OTHER").first;
  name_ = &*found;
}

}  // namespace gcsflux
