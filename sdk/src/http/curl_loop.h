#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "http/curl_drive.h"
#include "http/curl_settings.h"
#include "http/curl_sockets.h"
#include "http/transport.h"
#include "loop/event_loop.h"

namespace gcsflux::internal {

/// A multi handle that an event loop drives; its exchanges share connections. libcurl names the descriptors and times
/// that it waits for, and the loop reports their events. Used by the loop's thread; destroyed after that has ended.
class CurlLoop final : public SocketOwner {
 public:
  /// The settings must outlive it. `is_first`: it is the first one of its loop. The others serve many requests at a
  /// time, with less memory for each.
  CurlLoop(EventLoop& loop, const CurlSettings& settings, bool is_first);
  ~CurlLoop() override;
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  /// Transport::PerformWatched() for a fiber of the loop, which is suspended meanwhile.
  Result<HttpResponse> Run(const HttpRequest& request, BodyReceiver* receiver, Watch* watch,
                           const std::stop_token& stop);

  /// Exchanges in progress.
  [[nodiscard]] std::size_t running() const { return running_; }

  void OnOpen(int descriptor) override;
  void OnClose(int descriptor) override;

 private:
  // A descriptor of libcurl. A connection's descriptor stays in epoll between two requests, which saves two system
  // calls per request.
  struct Socket final : public Watched {
    Socket(CurlLoop& loop, int descriptor) : Watched(descriptor), curl(loop) {}
    void OnEvents(std::uint32_t events) override { curl.OnEvents(*this, events); }
    CurlLoop& curl;
    CURL* easy = nullptr;  // The handle that uses it; null between two requests.
    bool is_connection = false;
  };
  struct Timer final : public LoopTimer {
    explicit Timer(CurlLoop& loop) : curl(loop) {}
    void OnTime() override { curl.Act(CURL_SOCKET_TIMEOUT, 0); }
    CurlLoop& curl;
  };

  static int OnSocket(CURL* easy, curl_socket_t descriptor, int what, void* self, void* socket);
  static int OnTimer(CURLM* multi, long milliseconds, void* self);
  void WatchSocket(CURL* easy, int descriptor, int what);
  Socket& SocketOf(int descriptor);
  void OnEvents(Socket& socket, std::uint32_t events);
  void Act(curl_socket_t descriptor, int events);
  void Note(CURL* easy);
  bool HasMulti();
  EasyHandle TakeHandle();
  EasyHandle MakeEasy();
  void Return(EasyHandle easy);

  EventLoop& loop_;
  const bool is_first_;
  const CurlSettings& settings_;
  Timer timer_;
  std::vector<std::unique_ptr<Socket>> sockets_;  // By descriptor.
  std::vector<std::unique_ptr<Socket>> closed_;   // To be destroyed when none of their events is pending.
  std::vector<CURL*> moved_;                      // Handles whose drives may have to look sooner.
  bool is_ending_ = false;
  std::size_t running_ = 0;  // Exchanges in progress.
  std::size_t most_ = 0;     // The highest value of running_.
  MultiHandle multi_;        // Its destructor calls back, so it runs before that of the sockets.
  std::vector<EasyHandle> idle_;
};

}  // namespace gcsflux::internal
