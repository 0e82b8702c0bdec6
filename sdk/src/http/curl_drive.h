#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>

#include "base/fork.h"
#include "http/curl_exchange.h"
#include "http/curl_settings.h"
#include "http/standstill.h"
#include "http/transport.h"
#include "loop/pause.h"

namespace gcsflux::internal {

/// What a drive works with; all of it outlives the drive.
struct CurlDriver {
  CURLM* multi;
  const CurlSettings& settings;
  SocketOwner* sockets = nullptr;  ///< Hears of connections that are opened and closed; null for none.
  Pause* waiter = nullptr;         ///< Woken when Look() has something new to see; null for none.
};

/// One request on its way over a multi handle, and a second one beside it where its watch asks for that. It decides;
/// the multi handle is driven by a thread that has it for itself (curl_transport.cc), or by a loop for many drives
/// (curl_loop.h). Used by one thread; stays where it is.
class CurlDrive {
 public:
  /// What is passed must outlive it; `receiver` and `watch` may be null. An exchange that has begun and moves no byte
  /// for the settings' stall_timeout is over, as kUnavailable.
  CurlDrive(const CurlDriver& driver, BodyReceiver* receiver, Watch* watch)
      : driver_(driver), receiver_(receiver), watch_(watch), race_{.waiter = driver.waiter} {}
  CurlDrive(const CurlDrive&) = delete;
  CurlDrive& operator=(const CurlDrive&) = delete;
  /// Takes its handles out of the multi handle.
  ~CurlDrive();

  /// Once, with a handle that `settings` made.
  void Start(CURL* easy, const HttpRequest& request);
  /// Tells the drives of the multi handle what has ended there.
  static void TakeMessages(CURLM* multi);
  /// The drive that uses the handle; null where none does.
  static CurlDrive* Of(CURL* easy);

  /// The call's result when it is over. May send a second request.
  std::optional<Result<HttpResponse>> Look();
  /// How long Look() has nothing to see if nothing moves; to be asked again when something has.
  [[nodiscard]] std::chrono::nanoseconds Patience();
  [[nodiscard]] Pause* waiter() const { return driver_.waiter; }
  /// Ends it as kCancelled.
  Error Cancel();

 private:
  // One exchange that is under way, or over.
  struct Side {
    Side(CurlDrive& drive, CURL* with, const HttpRequest& request, CurlRace& race, bool is_second);
    ~Side();
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;

    CURLM* const multi;
    CURL* const easy;
    Movement* const movement;
    CurlExchange exchange;
    std::optional<Standstill> standstill = {};  // From its begin on.
    std::optional<Result<HttpResponse>> outcome = {};
  };

  void OnMessage(CURL* easy, CURLcode code);
  std::optional<Result<HttpResponse>> Decide();
  void SecondFailed(Result<HttpResponse> outcome);
  std::chrono::nanoseconds StandstillLeft(Side& side) const;
  void EndStandstill(Side& side) const;
  void StartSecondIfOverdue();

  const CurlDriver driver_;
  BodyReceiver* const receiver_;
  Watch* const watch_;
  const ProcessMark made_in_;
  CurlRace race_;
  // Handles of second exchanges, which must outlive their sides.
  EasyHandle first_easy_, second_easy_;
  std::unique_ptr<Side> first_;
  std::unique_ptr<Side> second_;
};

}  // namespace gcsflux::internal
