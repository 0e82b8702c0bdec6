#pragma once

#include <cstddef>
#include <string>

#include "bodies/gunzip.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// The content of a request's body that is compressed with gzip. If the body does not begin like gzip, it is passed on
/// as it is. One thread.
class InflatedBody final : public RequestBody {
 public:
  /// `body` must outlive it.
  explicit InflatedBody(RequestBody& body) : body_(body) {}

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return std::nullopt; }
  std::optional<std::size_t> Read(std::span<std::byte> into) override;
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 private:
  enum class State { kUnread, kGzip, kPlain, kEnd, kBroken };

  void Fill();
  bool Take(std::span<const std::byte> bytes);

  RequestBody& body_;
  State state_ = State::kUnread;
  Inflater inflater_;
  std::string content_;
  std::size_t read_ = 0;  // of content_
};

}  // namespace gcsflux::emulator
