#pragma once

#include <mutex>
#include <shared_mutex>

#include "store/buckets/bucket.h"

namespace gcsflux::emulator {

// Unlocks while the change is written. What it is about stays as it was: the caller holds the names.
template <class MakeChange>
Outcome<void> Bucket::CommitUnlocked(std::unique_lock<std::shared_mutex>& lock, const MakeChange& make_change) const {
  if (!log_) return {};
  lock.unlock();
  Outcome<void> written = log_.log->Commit(make_change());
  lock.lock();
  return written;
}

}  // namespace gcsflux::emulator
