#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Header fields in the order of arrival. Names are compared without regard to case.
class HttpHeaders {
 public:
  /// Adds nothing if the value has a line end or a NUL: it would become another field, or another answer.
  void Add(std::string name, std::string value);
  /// Removes every field of that name. The name is in lower case.
  void Remove(std::string_view lower_case_name);
  /// The first field of that name, or null. The name is in lower case.
  [[nodiscard]] const std::string* Find(std::string_view lower_case_name) const;
  /// Every field of that name, joined by ", " as HTTP allows.
  [[nodiscard]] std::optional<std::string> FindAll(std::string_view lower_case_name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// The head of a request as it arrived. Nothing in it is decoded.
struct HttpRequest {
  std::string method = {};
  std::string target = {};
  HttpHeaders headers = {};
};

/// The body of a request, read while it arrives. One thread.
class RequestBody {
 public:
  virtual ~RequestBody() = default;

  /// The length that the head announces, if it announces one.
  [[nodiscard]] virtual std::optional<std::uint64_t> announced_size() const = 0;

  /// Reads at least one byte and at most `into.size()`. 0 is the end. Nothing if the body is malformed or the client
  /// has gone.
  virtual std::optional<std::size_t> Read(std::span<std::byte> into) = 0;

  /// Whether Read() failed because the client was too slow.
  [[nodiscard]] virtual bool is_overdue() const { return false; }

  /// How many of its bytes an upload session may keep. The service promises to keep any number of them, and a fault
  /// plan can ask for few. Nothing if there is no such limit.
  [[nodiscard]] virtual std::optional<std::uint64_t> keeps_at_most() const { return std::nullopt; }

  /// Lets the client send only about so many bytes ahead of what is read. 0 is as many as the system likes. Without it,
  /// the client notices a slow reader only when the system's buffers are full.
  virtual void LimitUnderWay(std::size_t /*bytes*/) {}
};

/// Takes the next bytes of a response. Returns false if the client has gone.
using ResponseSink = std::function<bool(std::span<const std::byte>)>;

/// Writes a whole body of unknown length. Returns false to break the connection off.
using BodyProducer = std::function<bool(const ResponseSink&)>;

/// Is between an answer's body and the connection, and may delay the bytes, change them or break them off. It serves
/// one request. The connection's thread calls it.
class BodyFilter {
 public:
  virtual ~BodyFilter() = default;
  /// Passes `bytes`, changed or not, to `next`, which sends at once what it is given. Returns false to break the
  /// connection off.
  virtual bool Write(std::span<const std::byte> bytes, const ResponseSink& next) = 0;
};

/// What happens to the connection after an answer, beyond what HTTP says.
enum class Ending {
  kInOrder,  ///< It serves the next request.
  kClose,    ///< It is closed after the answer, without announcement.
  kReset,    ///< It is reset (TCP RST) after the bytes that were sent.
  kSilence,  ///< It is reset without a byte of the answer.
};

/// Observes a request's answer on its way out. The connection's thread calls the functions, in this order.
class ResponseObserver {
 public:
  virtual ~ResponseObserver() = default;
  /// The request's body has been read to its end, `bytes` of it. The answer begins.
  virtual void OnReceived(std::uint64_t bytes) = 0;
  /// Called before the next `bytes` of the answer's body are handed to the connection.
  virtual void OnSending(std::uint64_t bytes) = 0;
  /// Called before the answer's last bytes are handed over. The client may have the whole answer, and may send its next
  /// request, before OnFinished(). May be called again.
  virtual void OnLastBytes() = 0;
  /// The answer is out, or the client has gone.
  virtual void OnFinished() = 0;
};

/// The answer to a request. Content-Length follows from the body. The content type is a header like any other.
struct HttpResponse {
  int status = 200;
  HttpHeaders headers = {};
  std::variant<std::string, Rope, BodyProducer> body = {};
  /// The body passes through them in their order. If a body ends before its length, the connection is lost.
  std::vector<std::shared_ptr<BodyFilter>> filters = {};
  /// A Content-Length that is not the body's. Nothing for a body of unknown length.
  std::optional<std::uint64_t> false_length = {};
  Ending ending = Ending::kInOrder;
  std::shared_ptr<ResponseObserver> observer = {};
};

/// Answers requests. Thread-safe; may throw.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual HttpResponse Handle(const HttpRequest& request, RequestBody& body) = 0;
};

}  // namespace gcsflux::emulator
