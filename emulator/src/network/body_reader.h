#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "http/http_message.h"
#include "network/socket_stream.h"

namespace gcsflux::emulator {

/// The body of the request whose head was just read from `stream`: by its length, chunked, or none.
class BodyReader final : public RequestBody {
 public:
  BodyReader(SocketStream& stream, const HttpHeaders& headers);

  /// Whether the head says clearly where the body ends. If not, nothing can be read, and the connection is lost.
  [[nodiscard]] bool is_framed() const { return state_ != State::kBroken; }
  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return announced_size_; }
  std::optional<std::size_t> Read(std::span<std::byte> into) override;
  [[nodiscard]] bool is_overdue() const override { return is_overdue_; }
  void LimitUnderWay(std::size_t bytes) override { stream_.LimitUnderWay(bytes); }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

  /// How much of it may still arrive; UINT64_MAX if its length is not announced.
  [[nodiscard]] std::uint64_t unread() const;
  /// Reads the bytes that are left, so that the next request can follow. Returns false if that is not possible.
  bool Drain();

 private:
  enum class State { kLength, kChunkStart, kChunkData, kEnd, kBroken };

  bool BeginChunk();
  bool SkipTrailers();
  void Advance(std::size_t read);
  void Break();

  SocketStream& stream_;
  State state_ = State::kEnd;
  std::uint64_t left_ = 0;  // of the body, or of the chunk
  std::optional<std::uint64_t> announced_size_;
  std::uint64_t bytes_read_ = 0;
  bool wants_continue_ = false;
  bool is_overdue_ = false;
};

}  // namespace gcsflux::emulator
