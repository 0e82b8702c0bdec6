#pragma once

#include <curl/curl.h>

#include <array>
#include <utility>

namespace gcsflux::internal {

/// Is told of the connections that handles open and close. libcurl calls it.
class SocketOwner {
 public:
  virtual ~SocketOwner() = default;
  virtual void OnOpen(int descriptor) = 0;
  virtual void OnClose(int descriptor) = 0;
};

/// Makes the handle use sockets of this process only: exec() closes them, and child processes do not use them.
/// `owner` outlives the connections; null for none.
void UseOwnSockets(CURL* easy, SocketOwner* owner);

/// A multi handle whose own descriptors also belong to this process only.
class MultiHandle {
 public:
  MultiHandle() = default;
  /// Null if libcurl has no memory.
  static MultiHandle Make();
  MultiHandle(MultiHandle&& other) noexcept { Swap(other); }
  MultiHandle& operator=(MultiHandle&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~MultiHandle();

  [[nodiscard]] CURLM* get() const { return multi_; }

 private:
  using WakeUp = std::array<int, 2>;
  static WakeUp FindWakeUp(CURLM* multi, int lowest);
  void Swap(MultiHandle& other) noexcept {
    std::swap(multi_, other.multi_);
    std::swap(wake_up_, other.wake_up_);
  }

  CURLM* multi_ = nullptr;
  WakeUp wake_up_ = {-1, -1};  // The socket pair that curl_multi_wakeup() writes to; -1 if it was not found.
};

}  // namespace gcsflux::internal
