#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/owner_process.h"
#include "gcsflux/upload.h"
#include "transfer/upload/upload_session.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {

/// Streams an object over one resumable session, or in one request if a chunk holds it. For one thread at a time.
///
/// Between calls the buffer holds the written bytes from the session's position() on: less than a quantum beyond the
/// bytes sent, or less than the next chunk.
class StreamWriter {
 public:
  /// Makes no request before the first chunk is full.
  StreamWriter(Client client, ObjectName object, UploadOptions options);
  /// Continues from a state.
  StreamWriter(Client client, const UploadState& state, UploadOptions options);
  /// ObjectWriter::Resume().
  static Result<std::unique_ptr<StreamWriter>> Resume(Client client, std::string_view state, UploadOptions options);
  ~StreamWriter() { Cancel(); }
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  [[nodiscard]] std::uint64_t position() const { return session_.position() + buffer_.size(); }
  Result<void> Write(std::span<const std::byte> data);
  Result<ObjectMetadata> Close();
  Result<std::string> Suspend();
  void Cancel();

 private:
  Result<void> Settle();
  Result<void> WriteOn(std::span<const std::byte> data);
  [[nodiscard]] Error OfParent() const;
  [[nodiscard]] Error WasClosed() const;
  std::span<const std::byte> Keep(std::span<const std::byte> data);
  void SendBuffer(bool is_last);
  std::size_t SendChunk(std::span<const std::byte> data, bool is_last);
  Result<ObjectMetadata> CloseSession();

  const Client client_;
  const ObjectName object_;
  UploadOptions options_;
  UploadSession session_;
  std::vector<std::byte> buffer_;
  const OwnerProcess owner_;
  bool is_closed_ = false;
  bool is_detached_ = false;
  std::optional<Error> error_;
};

}  // namespace gcsflux::internal
