#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/fork.h"
#include "http/curl_exchange.h"
#include "http/curl_settings.h"
#include "http/standstill.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// Drives one request to its end over a multi handle, and where its watch asks for that a second one beside it. Used by
/// one thread.
class CurlDrive {
 public:
  /// What is passed must outlive it; `receiver` and `watch` may be null. An exchange that has begun and moves no byte
  /// for the settings' stall_timeout is over, as kUnavailable.
  CurlDrive(CURLM* multi, const CurlSettings& settings, BodyReceiver* receiver, Watch* watch)
      : multi_(multi), settings_(settings), receiver_(receiver), watch_(watch) {}
  CurlDrive(const CurlDrive&) = delete;
  CurlDrive& operator=(const CurlDrive&) = delete;

  /// Once, with a handle that `settings` made. Returns with both handles out of the multi handle; kCancelled within
  /// milliseconds of `stop`.
  Result<HttpResponse> Run(CURL* easy, const HttpRequest& request, const std::stop_token& stop);

 private:
  // One exchange that is under way, or over.
  struct Side {
    Side(const CurlDrive& drive, CURL* with, const HttpRequest& request, CurlRace& race, bool is_second);
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

  Result<HttpResponse> Loop(const std::stop_token& stop);
  bool Advance();
  void TakeOutcomes();
  std::optional<Result<HttpResponse>> Decide();
  void SecondFailed(Result<HttpResponse> outcome);
  std::chrono::nanoseconds LookOn();
  std::chrono::nanoseconds EndStandstill(Side& side) const;
  void StartSecond(const HttpRequest& request);

  CURLM* const multi_;
  const CurlSettings& settings_;
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
