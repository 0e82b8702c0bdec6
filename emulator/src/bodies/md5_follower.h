#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "store/bytes/md5.h"

namespace gcsflux::emulator {

/// Extends an MD5 by a body that is still coming, in a thread beside the one that receives it: MD5 is slower than a
/// connection. A body of few bytes is hashed at its end, without a thread. Used by one thread.
class Md5Follower {
 public:
  /// Nobody else uses `md5` until Finish.
  explicit Md5Follower(Md5Stream& md5) : md5_(md5) {}
  ~Md5Follower() { Join(); }
  Md5Follower(const Md5Follower&) = delete;
  Md5Follower& operator=(const Md5Follower&) = delete;

  /// `bytes` come next; they stay where they are until Finish, or until this goes. Waits where too many are left to do.
  void Append(std::span<const std::byte> bytes);
  /// Returns when all of them are hashed.
  void Finish();

 private:
  void StartThread();
  void Run();
  void Join();

  Md5Stream& md5_;
  std::thread thread_ = {};  // runs once there is enough to do for it

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::span<const std::byte>> waiting_;  // runs of bytes, each as long as they go on in one place
  bool has_all_ = false;
};

}  // namespace gcsflux::emulator
