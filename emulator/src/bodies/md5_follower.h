#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "store/bytes/md5.h"

namespace gcsflux::emulator {

/// Extends an MD5 by a body that is still arriving, in a thread beside the one that receives it, because MD5 is slower
/// than a connection. A small body is hashed at its end, without a thread. Used by one thread.
class Md5Follower {
 public:
  /// Until Finish, no one else may use `md5`.
  explicit Md5Follower(Md5Stream& md5) : md5_(md5) {}
  ~Md5Follower() { Join(); }
  Md5Follower(const Md5Follower&) = delete;
  Md5Follower& operator=(const Md5Follower&) = delete;

  /// Adds `bytes` to what is hashed. They must stay in place until Finish or destruction. Waits if too many bytes are
  /// still to be hashed.
  void Append(std::span<const std::byte> bytes);
  /// Returns when all of them are hashed.
  void Finish();

 private:
  void StartThread();
  void Run();
  void Join();

  Md5Stream& md5_;
  std::thread thread_ = {};  // started once there is enough to do

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::span<const std::byte>> waiting_;  // runs of bytes, each contiguous in memory
  bool has_all_ = false;
};

}  // namespace gcsflux::emulator
