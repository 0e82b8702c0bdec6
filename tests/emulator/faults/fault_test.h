#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {

constexpr std::size_t kChunk = std::size_t{256} << 10;

inline std::string WithChangedByte(std::string bytes, std::size_t at) {
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
  return bytes;
}

/// All bytes that arrived for one request, until the connection ended.
struct RawExchange {
  std::string head = {};  ///< Without the empty line at its end.
  std::string body = {};
  bool was_reset = false;

  [[nodiscard]] bool is_silent() const { return head.empty() && body.empty(); }
  [[nodiscard]] int status() const;
};

/// An emulator with a bucket, "bucket", and functions that show the effect of a fault on a socket.
class FaultTest : public EmulatorTest {
 protected:
  FaultTest();

  /// Adds a rule, "fault", for the requests of `match`; without it for all later ones.
  void Inject(FaultAction action, FaultMatch match = {}, FaultLimits limits = {});
  /// How often it fired.
  std::uint64_t Fired() { return emulator().faults().Fired("fault"); }

  /// A request on a connection of its own, and one answer to it.
  RawResponse Call(std::string_view method, std::string_view target, std::string_view headers = "",
                   std::string_view body = "");
  /// The same, read until the connection ends. The request asks for that.
  RawExchange Exchange(std::string_view method, std::string_view target, std::string_view headers = "",
                       std::string_view body = "");

  /// The upload of an object in one request.
  RawResponse Insert(const std::string& name, std::string_view content);
  RawResponse InsertMultipart(const std::string& name, std::string_view content, std::string_view metadata = "{}");
  RawExchange Read(const std::string& name, std::string_view headers = "");

  /// Starts an upload session; returns its target.
  std::string StartSession(const std::string& name);
  /// Sends the bytes from `first` on. If there is a total, they are the last ones.
  RawResponse PutChunk(const std::string& session, std::uint64_t first, std::string_view bytes,
                       std::optional<std::uint64_t> total = {});
  /// The range that the session reports as persisted: "bytes=0-N", or "".
  std::string Persisted(const std::string& session);

  /// The object's content, without faults; nothing if there is none. Removes the rules.
  std::optional<std::string> Stored(const std::string& name);
  /// How many generations of the object were committed.
  std::size_t Commits(const std::string& name);

  static std::string MediaTarget(const std::string& name) {
    return "/download/storage/v1/b/bucket/o/" + name + "?alt=media";
  }
  static std::string InsertTarget(const std::string& name) {
    return "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name;
  }
};

/// Bytes that differ from their neighbours.
std::string Bytes(std::size_t size);

}  // namespace gcsflux::emulator
