#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "http/http_message.h"
#include "network/request_head.h"
#include "network/socket_stream.h"

namespace gcsflux::emulator {

/// Writes the answer to one request. A body of unknown length goes in chunks, or, to HTTP/1.0, until the connection
/// ends.
class AnswerWriter {
 public:
  AnswerWriter(const RequestHead& request, SocketStream& stream)
      : stream_(stream), has_body_(request.request.method != "HEAD"), is_1_0_(request.is_1_0) {}

  /// Returns false if the client has gone, or if the body is not as long as announced: no other answer may follow.
  bool Write(HttpResponse& response);
  /// Whether a client may have received something.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

 private:
  bool WriteHead(HttpResponse& response, std::optional<std::uint64_t> size);
  bool WriteFrom(std::size_t filter, std::span<const std::byte> bytes);
  bool Send(std::span<const std::byte> bytes);
  bool Pass(std::span<const std::byte> bytes);

  SocketStream& stream_;
  const bool has_body_;
  const bool is_1_0_;
  bool has_begun_ = false;
  bool is_chunked_ = false;
  std::optional<std::uint64_t> left_ = {};  // of the body, if its length is announced
  std::span<const std::shared_ptr<BodyFilter>> filters_ = {};
  ResponseObserver* observer_ = nullptr;
};

}  // namespace gcsflux::emulator
