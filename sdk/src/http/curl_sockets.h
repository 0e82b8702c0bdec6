#pragma once

#include <curl/curl.h>

#include <array>
#include <utility>

namespace gcsflux::internal {

/// Hears of the connections that handles open and close. Called within libcurl.
class SocketOwner {
 public:
  virtual ~SocketOwner() = default;
  virtual void OnOpen(int descriptor) = 0;
  virtual void OnClose(int descriptor) = 0;
};

/// Has the handle make sockets that are this process's alone: closed by exec(), and not used by children. `owner`, null
/// for none, outlives the connections.
void UseOwnSockets(CURL* easy, SocketOwner* owner);

/// A multi handle, whose own descriptors are this process's alone too.
class MultiHandle {
 public:
  MultiHandle() = default;
  /// Null where libcurl has none.
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
  WakeUp wake_up_ = {-1, -1};  // The socket pair that curl_multi_wakeup() writes to; -1 where it was not found.
};

}  // namespace gcsflux::internal
