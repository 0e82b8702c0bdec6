#include "store/log/name_locks.h"

#include <algorithm>

namespace gcsflux::emulator {

NameLocks::Hold NameLocks::Lock(std::vector<std::string> names) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] {
    return !are_all_held_ && waiting_for_all_ == 0 &&
           std::none_of(names.begin(), names.end(), [this](const std::string& name) { return held_.contains(name); });
  });
  held_.insert(names.begin(), names.end());
  return {*this, std::move(names), /*is_all=*/false};
}

NameLocks::Hold NameLocks::LockAll() {
  std::unique_lock lock(mutex_);
  ++waiting_for_all_;
  released_.wait(lock, [&] { return !are_all_held_ && held_.empty(); });
  --waiting_for_all_;
  are_all_held_ = true;
  return {*this, {}, /*is_all=*/true};
}

void NameLocks::Hold::Release() {
  NameLocks* const locks = std::exchange(locks_, nullptr);
  if (locks == nullptr) return;
  const std::scoped_lock lock(locks->mutex_);
  if (is_all_) locks->are_all_held_ = false;
  for (const std::string& name : names_) locks->held_.erase(name);
  locks->released_.notify_all();
}

}  // namespace gcsflux::emulator
