#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// A request's body whose beginning can be looked at before it is read. One thread.
class PeekedBody final : public RequestBody {
 public:
  /// `body` must outlive it.
  explicit PeekedBody(RequestBody& body) : body_(body) {}

  /// The first `size` bytes, or all if there are fewer. They are still to be read. Valid until the next call. Must be
  /// called before Read().
  std::string_view Peek(std::size_t size);

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override;
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 private:
  RequestBody& body_;
  std::string peeked_;
  std::size_t read_ = 0;    // of peeked_
  bool is_broken_ = false;  // behind peeked_
};

}  // namespace gcsflux::emulator
