#include <set>

#include "base/process/mutex.h"
#include "gcsflux/object.h"

namespace gcsflux {

// Never destroyed, as `names` below: a listing may outlive main().
const std::string& InternedName::Empty() {
  static const std::string& empty = *new std::string();
  return empty;
}

InternedName::InternedName(std::string_view name) {
  constexpr std::size_t kMostNames = 4096;
  static auto& names = *new std::set<std::string, std::less<>>{"STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE"};
  static internal::LeafMutex mutex;
  if (name.empty()) return;
  const internal::MutexLock lock(mutex);
  constexpr std::size_t kMostBytes = 1024;
  if (name.size() > kMostBytes) name = "OTHER";
  auto found = names.find(name);
  if (found == names.end()) found = names.emplace(names.size() < kMostNames ? name : "OTHER").first;
  name_ = &*found;
}

}  // namespace gcsflux
