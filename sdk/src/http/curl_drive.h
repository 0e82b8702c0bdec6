#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/process/owner_process.h"
#include "http/curl_exchange.h"
#include "http/curl_settings.h"
#include "http/standstill.h"
#include "http/transport.h"
#include "loop/pause.h"

namespace gcsflux::internal {

/// What a drive uses; all of it outlives the drive.
struct CurlDriver {
  CURLM* multi;
  const CurlSettings& settings;
  SocketOwner* sockets = nullptr;  ///< Is told of connections that are opened and closed; null for none.
  Pause* waiter = nullptr;         ///< Woken when Poll() has something new; null for none.
};

/// One request over a multi handle, and a second one beside it if its watch requests it. This class decides. Its multi
/// handle is driven by one thread (curl_transport.cc), or by a loop for many drives (curl_loop.h). Used by one thread;
/// not movable.
class CurlDrive {
 public:
  /// The arguments must outlive it; `receiver` and `watch` may be null. If an exchange has begun and no byte moves for
  /// the settings' stall_timeout, it ends with kUnavailable.
  CurlDrive(const CurlDriver& driver, BodyReceiver* receiver, Watch* watch)
      : driver_(driver), receiver_(receiver), watch_(watch), race_{.waiter = driver.waiter} {}
  CurlDrive(const CurlDrive&) = delete;
  CurlDrive& operator=(const CurlDrive&) = delete;
  /// Removes its handles from the multi handle.
  ~CurlDrive();

  /// Call it once, with a handle that `settings` made.
  void Start(CURL* easy, const HttpRequest& request);
  /// Tells the drives of the multi handle which exchanges have ended.
  static void TakeMessages(CURLM* multi);
  /// The drive that uses the handle. Null if there is none.
  static CurlDrive* Of(CURL* easy);

  /// The result, when the call is over. May send a second request.
  std::optional<Result<HttpResponse>> Poll();
  /// How long Poll() has nothing to do if no byte moves. Ask again when a byte has moved.
  [[nodiscard]] std::chrono::nanoseconds Patience();
  [[nodiscard]] Pause* waiter() const { return driver_.waiter; }
  /// Ends it with kCancelled.
  Error Cancel();

 private:
  // One exchange, in progress or ended.
  struct Side {
    Side(CurlDrive& drive, CURL* with, const HttpRequest& request, CurlRace& race, bool is_second);
    ~Side();
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    CURLM* const multi;
    CURL* const easy;
    TransferStatistics* const statistics;
    CurlExchange exchange;
    std::optional<Standstill> standstill = {};  // Runs from the exchange's start.
    std::optional<Result<HttpResponse>> outcome = {};
  };

  [[nodiscard]] std::optional<Side>& first() { return sides_[first_]; }
  [[nodiscard]] std::optional<Side>& second() { return sides_[1 - first_]; }
  void OnMessage(CURL* easy, CURLcode code);
  std::optional<Result<HttpResponse>> Decide();
  void SecondFailed(const Result<HttpResponse>& outcome);
  std::chrono::nanoseconds StandstillLeft(Side& side) const;
  void EndStandstill(Side& side) const;
  void StartSecondIfOverdue();

  const CurlDriver driver_;
  BodyReceiver* const receiver_;
  Watch* const watch_;
  const OwnerProcess owner_;
  CurlRace race_;
  // Handles of second exchanges, which must outlive their sides.
  EasyHandle first_easy_, second_easy_;
  std::array<std::optional<Side>, 2> sides_;
  std::size_t first_ = 0;  // in sides_; the other one is the second
};

}  // namespace gcsflux::internal
