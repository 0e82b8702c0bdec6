#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

// TCP connections between ranks, and messages on them. Nothing here waits, except AwaitTraffic().
namespace gcsflux {

/// A TCP socket of this process alone: its children do not have it. Movable.
class RankSocket {
 public:
  RankSocket() = default;
  RankSocket(RankSocket&& other) noexcept;
  RankSocket& operator=(RankSocket&& other) noexcept;
  ~RankSocket();

  /// Listens at a port that is free, at the first address of the host that is one of this machine.
  static Result<RankSocket> Listen(const std::string& host);
  /// Begins to connect. If the port is closed, the first use of the connection fails.
  static Result<RankSocket> Connect(const std::string& address, std::uint16_t port);
  /// The next connection that has arrived; an empty socket if there is none.
  [[nodiscard]] RankSocket Accept() const;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Its own address and port, as numbers.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;

 private:
  explicit RankSocket(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

/// The messages on one connection. A message is its length in 8 bytes, and its bytes. For one thread at a time.
class RankLink {
 public:
  using Message = std::shared_ptr<const std::string>;

  /// `longest` is the largest message that it receives. A longer one ends the connection.
  explicit RankLink(RankSocket socket, std::uint64_t longest = UINT64_MAX);
  RankLink(RankLink&&) noexcept = default;
  RankLink& operator=(RankLink&&) noexcept = default;
  /// The messages that are on their way still arrive.
  ~RankLink();

  /// The message must not be empty.
  void Send(Message message);
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  /// The next message, if there is one.
  std::optional<std::string> Take();
  [[nodiscard]] bool has_message() const { return message_.has_value(); }
  /// No more messages come than Take() has.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// What is sent no longer arrives.
  [[nodiscard]] bool is_broken() const { return is_broken_; }
  /// Receives messages from now on that are longer than before.
  void set_longest(std::uint64_t longest) { longest_ = longest; }

  /// For AwaitTraffic(). What to wait for, as events of poll(): at most one message is received ahead.
  [[nodiscard]] short events() const;
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }
  /// Moves the bytes that can be moved at once.
  void Move(short events);

 private:
  void Write();
  void Read();

  RankSocket socket_;
  std::uint64_t longest_;
  std::deque<Message> unsent_;
  std::array<std::uint8_t, 8> length_sent_ = {};  // Of the first of unsent_.
  std::size_t sent_ = 0;                          // Of it, with its length.
  std::array<std::uint8_t, 8> length_received_ = {};
  std::string incoming_;
  std::size_t received_ = 0;  // With the length.
  std::optional<std::string> message_;
  bool has_ended_ = false;
  bool is_broken_ = false;
};

/// Why AwaitTraffic() returned.
enum class Traffic { kMoved, kLate, kStopped };

/// Waits until bytes can be moved on one of the links, or a connection has arrived at the listener, and moves them.
/// `listener` may be null; so may links be.
Traffic AwaitTraffic(std::span<RankLink* const> links, const RankSocket* listener,
                     std::chrono::steady_clock::time_point until, const std::stop_token& stop);

}  // namespace gcsflux
