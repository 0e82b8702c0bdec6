#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

struct RawResponse {
  int status = 0;
  std::string status_line = {};
  std::multimap<std::string, std::string> headers = {};  ///< Names in lower case.
  std::string body = {};

  [[nodiscard]] std::string Header(const std::string& name) const;
};

/// A TCP connection to a server in this process. Sends exactly the bytes that a test gives. Throws std::system_error.
class RawConnection {
 public:
  /// `endpoint` is like Emulator::endpoint().
  explicit RawConnection(const std::string& endpoint);
  virtual ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// Sends as much as the server accepts; if it has closed the connection, nothing more.
  virtual void Send(std::string_view bytes);
  /// Ends sending; answers can still be read.
  void FinishSending();
  /// The next answer, also an interim one (1xx). Nothing if the connection ended before it was complete.
  std::optional<RawResponse> Receive(bool is_head_answer = false);
  /// Sends a complete request, with a Content-Length if it has a body, and receives the answer.
  RawResponse Call(std::string_view method, std::string_view target, std::string_view headers = "",
                   std::string_view body = "");
  /// All bytes until the connection ends, unparsed.
  std::string ReceiveAll();
  /// Whether TCP's RST ended the connection, as far as was received.
  [[nodiscard]] bool was_reset() const { return was_reset_; }
  /// Waits until the server closes the connection. Returns false if the server sends something instead.
  bool IsClosedByServer();

 protected:
  [[nodiscard]] int socket() const { return socket_; }
  /// Like recv().
  virtual std::ptrdiff_t ReceiveSome(std::span<char> into);

 private:
  bool Fill();

  int socket_ = -1;
  std::string received_;
  bool was_reset_ = false;
};

}  // namespace gcsflux::emulator
