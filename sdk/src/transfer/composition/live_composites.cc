#include "transfer/composition/live_composites.h"

#include <algorithm>
#include <chrono>

#include "base/process/per_process.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {
namespace {

constexpr int kDeletesAtOnce = 16;
// A compose takes about 100 ms. One that takes longer than this is left to CleanComposites().
constexpr std::chrono::seconds kComposePatience{2};

}  // namespace

LiveComposites& LiveComposites::OfProcess() {
  // Never destroyed: a signal's clean-up and threads may use it after the destruction of static objects.
  static auto* const live =
      new PerProcess<LiveComposites>([](const LiveComposites*) { return std::make_unique<LiveComposites>(); });
  return live->Get();
}

Result<void> LiveComposites::Add(const Client& client, const ObjectName& composite) {
  const MutexLock lock(mutex_);
  if (is_closed_) return Error{ErrorCode::kCancelled, "the process is ending: nothing more is composed"};
  entries_.insert_or_assign(composite, Entry{client, {.object = composite}});
  return {};
}

void LiveComposites::Settle(const Composite& composite) {
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(composite.object);
    if (found == entries_.end()) return;
    found->second.composite = composite;
    found->second.is_in_flight = false;
  }
  settled_.notify_all();
}

void LiveComposites::Remove(const ObjectName& composite) {
  decltype(entries_)::node_type
      removed;  // It may hold the last copy of the client, which is destroyed after the lock is released.
  {
    const MutexLock lock(mutex_);
    removed = entries_.extract(composite);
  }
  settled_.notify_all();
}

void LiveComposites::RemoveAll(std::string_view prefix) {
  std::vector<Entry> removed;  // As above.
  const MutexLock lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (!entry->first.name.starts_with(prefix)) {
      ++entry;
      continue;
    }
    removed.push_back(std::move(entry->second));
    entry = entries_.erase(entry);
  }
}

std::size_t LiveComposites::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

std::vector<LiveComposites::Entry> LiveComposites::AwaitAll(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  is_closed_ = true;
  settled_.wait_for(lock, stop, kComposePatience, [&]() REQUIRES(mutex_) {
    return std::ranges::none_of(entries_, [](const auto& entry) { return entry.second.is_in_flight; });
  });
  std::vector<Entry> all;
  for (const auto& [name, entry] : entries_) all.push_back(entry);
  return all;
}

void LiveComposites::DeleteAll(const std::stop_token& stop) {
  const std::vector<Entry> all = AwaitAll(stop);
  const auto remove = [&](std::size_t index, const std::stop_token& until) -> Result<void> {
    const Entry& entry = all[index];
    const auto deleted = DeleteComposite(entry.client, entry.composite, {}, until);
    if (deleted) Remove(entry.composite.object);
    return {};
  };
  if (all.empty()) return;
  static_cast<void>(RunOnThreads(all.front().client, all.size(), kDeletesAtOnce, remove, stop));
}

}  // namespace gcsflux::internal
