#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/owner_process.h"
#include "http/transport.h"
#include "loop/pause.h"

namespace gcsflux::internal {

class CurlExchange;

/// What the exchanges of one request share. Used by one thread.
struct CurlRace {
  /// The exchange whose answer is used. It is null until the first answer begins. When a second request is sent, it
  /// becomes null again: the exchange that brings the next bytes of an answer becomes the leader.
  CurlExchange* leader = nullptr;
  bool is_on = false;       ///< Two exchanges are in progress.
  Pause* waiter = nullptr;  ///< Woken when the race is decided; null for none.
};

/// The state of one exchange, which libcurl's callbacks change. Used by one thread; not movable.
class CurlExchange {
 public:
  /// The arguments must outlive it. `is_second`: it is a second request beside another one, and only its success
  /// counts.
  CurlExchange(CURL* easy, const HttpRequest& request, BodyReceiver* receiver, CurlRace& race, bool is_second);
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  /// Removes all of its pointers from the easy handle, which has left its multi handle before.
  ~CurlExchange();

  /// Configures the easy handle for this request, whatever it sent before, with callbacks to this object.
  void Prepare();

  /// Call it when libcurl has finished with `code`. Returns the answer, or why there is none. If the answer has no
  /// body, tells the receiver of it here.
  Result<HttpResponse> Finish(CURLcode code);

  /// The connection is made, TLS included.
  [[nodiscard]] bool HasBegun() const;

  /// Bytes and times so far. The first byte is that of the answer's head; libcurl's own figure differs if the request
  /// has a body.
  [[nodiscard]] TransferStatistics Moved() const;

 private:
  using Clock = std::chrono::steady_clock;

  static int BeforeSending(void* self, char*, char*, int, int);
  std::size_t ReadBody(std::span<std::byte> out);
  bool TellSent();
  [[nodiscard]] std::uint64_t PayloadRead() const;
  template <class Call>
  bool Take(Call call);
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::span<const std::byte> data);
  Result<void> Hold(std::span<const std::byte> data);
  void Begin();
  bool Claim();
  [[nodiscard]] int status() const;
  [[nodiscard]] curl_off_t body_size() const;
  Result<HttpResponse> Outcome(CURLcode code);
  void ListHeaders();

  CURL* const easy_;
  const HttpRequest& request_;
  const std::array<std::span<const std::byte>, 3> body_;
  std::size_t chunk_ = 0;
  std::size_t chunk_offset_ = 0;
  BodyReceiver* const receiver_;
  CurlRace& race_;
  const bool is_second_;
  std::vector<curl_slist> header_list_;  // libcurl's view of the request's
  int times_sent_ = 0;                   // Includes a sending that is about to begin.
  const OwnerProcess owner_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> first_byte_;
  std::array<char, CURL_ERROR_SIZE> details_;  // libcurl's text about a failure.
  std::size_t head_bytes_ = 0;
  std::size_t held_bytes_ = 0;  // Of a failure's body, with those that were left out.
  HttpResponse response_;
  bool is_head_whole_ = false;
  bool begun_ = false;
  bool counts_ = false;  // Its answer may be used as the result.
  bool receiver_takes_body_ = false;
  std::optional<Error> failure_;
};

}  // namespace gcsflux::internal
