#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// Locks on names, and on all names together. A change holds its names while it is written to the log; until then
/// nothing else changes them. Thread-safe.
class NameLocks {
 public:
  /// Releases what it holds when it is destroyed.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept
        : locks_(std::exchange(other.locks_, nullptr)), names_(std::move(other.names_)), is_all_(other.is_all_) {}
    Hold& operator=(Hold&& other) noexcept {
      Release();
      locks_ = std::exchange(other.locks_, nullptr);
      names_ = std::move(other.names_);
      is_all_ = other.is_all_;
      return *this;
    }
    ~Hold() { Release(); }

   private:
    friend NameLocks;
    Hold(NameLocks& locks, std::vector<std::string> names, bool is_all)
        : locks_(&locks), names_(std::move(names)), is_all_(is_all) {}
    void Release();

    NameLocks* locks_ = nullptr;
    std::vector<std::string> names_;
    bool is_all_ = false;
  };

  /// Waits until all of the names are free, and takes them together. A name may occur twice.
  [[nodiscard]] Hold Lock(std::vector<std::string> names);
  /// Waits until no name is held. Names that are asked for later wait.
  [[nodiscard]] Hold LockAll();

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable released_;
  std::set<std::string> held_;
  int waiting_for_all_ = 0;
  bool are_all_held_ = false;
};

}  // namespace gcsflux::emulator
