#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// By which two bodies are told apart.
struct BodyFingerprint {
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;

  friend bool operator==(const BodyFingerprint&, const BodyFingerprint&) = default;
};

/// A body that takes the fingerprint of the bytes that are read. It leaves out a multipart body's boundaries, which
/// some clients choose again for each attempt. One thread.
class FingerprintedBody final : public RequestBody {
 public:
  /// `body` must outlive it. Takes no fingerprint if the request has no idempotency token, for which it is needed.
  FingerprintedBody(RequestBody& body, const HttpRequest& request);

  [[nodiscard]] BodyFingerprint fingerprint() const;

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) override;
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 private:
  void Add(std::string_view bytes);

  RequestBody& body_;
  const bool is_needed_;
  const std::string boundary_;  // empty if there is none
  std::string undecided_;       // the last bytes, with which a boundary may begin
  BodyFingerprint fingerprint_;
};

}  // namespace gcsflux::emulator
