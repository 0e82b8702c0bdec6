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

/// A TCP connection to a server in this process: what is sent is exactly what a test says. Throws std::system_error.
class RawConnection {
 public:
  /// `endpoint` as Emulator::endpoint() gives it.
  explicit RawConnection(const std::string& endpoint);
  virtual ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  /// As much as the server takes; one that has closed the connection takes nothing more.
  virtual void Send(std::string_view bytes);
  /// No more is sent; answers can still be read.
  void FinishSending();
  /// The next answer, interim ones (1xx) too; nothing where the connection ended before it was whole.
  std::optional<RawResponse> Receive(bool is_head_answer = false);
  /// Sends a whole request, with a Content-Length where there is a body, and receives the answer.
  RawResponse Call(std::string_view method, std::string_view target, std::string_view headers = "",
                   std::string_view body = "");
  /// All that comes until the connection ends, as it comes.
  std::string ReceiveAll();
  /// Whether the connection was ended by TCP's RST, as far as was received.
  [[nodiscard]] bool was_reset() const { return was_reset_; }
  /// Waits until the server closes the connection; false where it sends something instead.
  bool IsClosedByServer();

 protected:
  [[nodiscard]] int socket() const { return socket_; }
  /// As recv() does it.
  virtual std::ptrdiff_t ReceiveSome(std::span<char> into);

 private:
  bool Fill();

  int socket_ = -1;
  std::string received_;
  bool was_reset_ = false;
};

}  // namespace gcsflux::emulator
