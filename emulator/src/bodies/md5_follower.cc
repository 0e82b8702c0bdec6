#include "bodies/md5_follower.h"

#include <system_error>
#include <utility>

namespace gcsflux::emulator {
namespace {

// Hashing this much takes about 1 ms; starting a thread takes some hundredths of that.
constexpr std::size_t kWorthAThread = std::size_t{1} << 20;
// Places in memory. If the body is long, each is a segment of 4 MiB. So many keep both threads busy.
constexpr std::size_t kMaxWaiting = 4;

}  // namespace

void Md5Follower::Append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::unique_lock lock(mutex_);
  const bool goes_on = !waiting_.empty() && waiting_.back().data() + waiting_.back().size() == bytes.data();
  if (goes_on) {
    waiting_.back() = {waiting_.back().data(), waiting_.back().size() + bytes.size()};
  } else {
    changed_.wait(lock, [this] { return !thread_.joinable() || waiting_.size() < kMaxWaiting; });
    waiting_.push_back(bytes);
  }
  if (!thread_.joinable() && waiting_.back().size() >= kWorthAThread) StartThread();
  lock.unlock();
  changed_.notify_one();
}

void Md5Follower::StartThread() {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {  // No thread can be started: Finish() does all of the work.
  }
}

void Md5Follower::Finish() {
  Join();
  for (const std::span<const std::byte> bytes : std::exchange(waiting_, {})) md5_.Append(bytes);
}

void Md5Follower::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return has_all_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto todo = std::exchange(waiting_, {});
    lock.unlock();
    changed_.notify_one();
    for (const std::span<const std::byte> bytes : todo) md5_.Append(bytes);
    lock.lock();
  }
}

void Md5Follower::Join() {
  {
    const std::scoped_lock lock(mutex_);
    has_all_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace gcsflux::emulator
