#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/emulator/clock.h"
#include "http/http_message.h"
#include "shaping/stream_pacer.h"

namespace gcsflux::emulator {

/// Sends an answer's body in slices, each when it is due.
class PacedResponse final : public BodyFilter {
 public:
  /// `shaping` and `clock` must outlive it.
  PacedResponse(LiveShaping& shaping, const std::string& bucket, const Clock& clock, std::stop_token stop)
      : pacer_(shaping, Direction::kRead, bucket), clock_(clock), stop_(std::move(stop)) {}

  bool Write(std::span<const std::byte> bytes, const ResponseSink& next) override;

 private:
  StreamPacer pacer_;
  const Clock& clock_;
  const std::stop_token stop_;
};

/// Reads a request's body in slices, each when it is due, and records when it has reached its end.
class PacedRequest final : public RequestBody {
 public:
  /// All of them must outlive it; `read_at` is set with every read.
  PacedRequest(RequestBody& body, LiveShaping& shaping, const std::string& bucket, const Clock& clock,
               std::stop_token stop, Clock::Time& read_at);

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override;
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 private:
  RequestBody& body_;
  StreamPacer pacer_;
  const Clock& clock_;
  const std::stop_token stop_;
  Clock::Time& read_at_;
  std::size_t allowed_ = 0;  // bytes that are due and not yet read
};

}  // namespace gcsflux::emulator
