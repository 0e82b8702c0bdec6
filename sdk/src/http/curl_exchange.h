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

#include "base/fork.h"
#include "http/transport.h"
#include "loop/pause.h"

namespace gcsflux::internal {

class CurlExchange;

/// What the exchanges of one request have in common. Used by one thread.
struct CurlRace {
  /// The one whose answer is taken. Null until one has begun, and anew when a second one is sent: the next to bring
  /// more of an answer leads.
  CurlExchange* leader = nullptr;
  bool is_on = false;       ///< Two are under way.
  Pause* waiter = nullptr;  ///< Woken when the race is decided; null for none.
};

/// The state of one exchange, which libcurl's callbacks work on. Used by one thread; stays where it is.
class CurlExchange {
 public:
  /// What is passed must outlive it. `is_second`: it was sent beside another, and nothing but a success of it counts.
  CurlExchange(CURL* easy, const HttpRequest& request, BodyReceiver* receiver, CurlRace& race, bool is_second);
  CurlExchange(const CurlExchange&) = delete;
  CurlExchange& operator=(const CurlExchange&) = delete;
  /// Leaves nothing of it in the easy handle, which is out of its multi handle by then.
  ~CurlExchange();

  /// Tells the easy handle what to send, whatever it sent before, and to call back here.
  void Prepare();

  /// Once libcurl is done with `code`: the answer, or why there is none. Tells the receiver of an answer without a
  /// body, too.
  Result<HttpResponse> Finish(CURLcode code);

  /// The connection is made, TLS included.
  [[nodiscard]] bool HasBegun() const;

  /// So far. The first byte is that of the head: libcurl's own figure is another one where the request has a body.
  [[nodiscard]] Movement Moved() const;

 private:
  using Clock = std::chrono::steady_clock;

  static int BeforeSending(void* self, char*, char*, int, int);
  std::size_t ReadBody(std::span<std::byte> out);
  bool TellSent();
  [[nodiscard]] std::uint64_t PayloadRead() const;
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::span<const std::byte> data);
  void Begin();
  bool Claim();
  [[nodiscard]] int status() const;
  [[nodiscard]] curl_off_t body_size() const;
  void ListHeaders();

  CURL* const easy_;
  const HttpRequest& request_;
  const std::array<std::span<const std::byte>, 3> body_;
  std::size_t piece_ = 0;
  std::size_t piece_offset_ = 0;
  BodyReceiver* const receiver_;
  CurlRace& race_;
  const bool is_second_;
  std::string header_lines_;             // each with its end
  std::vector<curl_slist> header_list_;  // libcurl's view of them
  int times_sent_ = 0;                   // or about to be
  const ProcessMark made_in_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> first_byte_;
  std::array<char, CURL_ERROR_SIZE> details_;  // What libcurl says of a failure.
  std::size_t head_bytes_ = 0;
  HttpResponse response_;
  bool is_head_whole_ = false;
  bool begun_ = false;
  bool counts_ = false;  // Its answer is one to go on with.
  bool receiver_takes_body_ = false;
  std::optional<Error> failure_;
};

}  // namespace gcsflux::internal
