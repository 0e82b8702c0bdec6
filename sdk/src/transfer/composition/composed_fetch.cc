#include "transfer/composition/composed_fetch.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "base/process/mutex.h"
#include "loop/wait_list.h"

namespace gcsflux::internal {
namespace {

// Items [0, count) that several tasks take one by one. A task that comes late has nothing to do, and touches nothing
// that the items refer to. Thread-safe.
class SharedItems {
 public:
  /// `handle` returns false if the items that were not taken yet need not be handled; the same if it throws.
  SharedItems(std::size_t count, std::function<bool(std::size_t)> handle) : count_(count), handle_(std::move(handle)) {}

  /// Handles items until there is none left to take.
  void Work() {
    MutexLock lock(mutex_);
    while (next_ < count_) {
      const std::size_t item = next_++;
      ++running_;
      lock.unlock();
      bool is_to_continue = false;
      std::exception_ptr thrown;
      try {
        is_to_continue = handle_(item);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      --running_;
      if (!is_to_continue) next_ = count_;
      if (thrown) thrown_ = thrown;
    }
    if (running_ == 0) ended_.NotifyAll();
  }
  /// Waits for the items that other tasks have taken, after Work() has returned. Throws what an item threw.
  void Await() {
    MutexLock lock(mutex_);
    (void)ended_.Wait(lock, std::stop_token(), [&]() REQUIRES(mutex_) { return running_ == 0; });
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::size_t count_;
  const std::function<bool(std::size_t)> handle_;
  Mutex mutex_;
  WaitList ended_;
  std::size_t next_ GUARDED_BY(mutex_) = 0;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);
};

// Lets up to `most` other tasks work on the items too. Without memory there are fewer: nothing may be thrown once a
// task knows the items.
void AskForHelp(Composer& composer, const std::shared_ptr<SharedItems>& items, std::size_t most) try {
  for (std::size_t i = 0; i < most; ++i) composer.RunSoon([items] { items->Work(); });
} catch (const std::bad_alloc&) {
}

}  // namespace

Result<void> ComposedFetch::FetchRange(std::size_t, const std::stop_token& stop) {
  const std::string& bucket = sources_.front().object.bucket;
  const auto permitted = composer_.permits().Await(bucket, stop);
  if (!permitted) return permitted.error();
  if (!*permitted) {
    composer_.CountDirect(sources_.size());
    return FetchDirectly(stop);
  }
  auto fetched = composer_.Fetch(sources_, destinations_, stop);
  if (fetched) return {};
  if (stop.stop_requested()) return fetched;
  const bool has_memory = std::none_of(destinations_.begin(), destinations_.end(),
                                       [](const Destination& destination) { return destination.has_no_memory; });
  if (has_memory && !composer_.IsOnlyLate(fetched.error())) composer_.permits().NoteFailure(bucket, fetched.error());
  composer_.CountFallback(sources_.size(), fetched.error());
  return FetchDirectly(stop);
}

// By this task and by those that have a free connection.
Result<void> ComposedFetch::FetchDirectly(const std::stop_token& stop) {
  Mutex mutex;
  std::vector<std::optional<Error>> errors(sources_.size());
  bool has_failed = false;
  std::optional<Error> fatal;
  const auto read_one = [&](std::size_t i) {
    auto read = DirectFetch(reads_, sources_[i], destinations_[i], 1).FetchRange(0, stop);
    if (read) return true;
    const MutexLock lock(mutex);
    // One failure fails the whole download: the other objects need not be read.
    if (stop.stop_requested() || !reads_.options.delivers_failures) {
      if (!fatal) fatal = read.error();
      return false;
    }
    errors[i] = read.error();
    has_failed = true;
    return true;
  };
  const auto items = std::make_shared<SharedItems>(sources_.size(), read_one);
  AskForHelp(composer_, items, sources_.size() - 1);
  items->Work();
  items->Await();
  if (fatal) return *std::move(fatal);
  if (has_failed) errors_ = std::move(errors);
  return {};
}

}  // namespace gcsflux::internal
