#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "transfer/upload/part_buffers.h"

namespace gcsflux::internal {

/// How long the next part is.
struct PartCut {
  std::uint64_t left = 0;         ///< Bytes of the first buffer that waits.
  std::uint64_t queued = 0;       ///< Bytes of all buffers that wait.
  int number = 1;                 ///< Of the part.
  std::uint64_t concurrency = 1;  ///< Parts that may be in flight.
  bool is_ended = false;          ///< No more bytes will come.
  bool is_last_buffer = false;    ///< And this buffer holds the last ones.
};

/// If many bytes follow, a part is a whole buffer. At the beginning and at the end of an object, the waiting bytes are
/// divided over all connections, so that none idles. Each part but the object's last one has kLeastPartBytes or more.
std::uint64_t NextPartBytes(const PartCut& cut);

struct QueuedPart {
  int number = 0;
  std::span<const std::byte> bytes = {};
  std::shared_ptr<PartBuffer> buffer = {};  ///< Keeps the bytes.
};

/// Buffers that wait for a connection. A part is cut when a connection takes it. Not thread-safe.
class PartQueue {
 public:
  explicit PartQueue(std::uint64_t concurrency) : concurrency_(concurrency) {}

  void Add(std::shared_ptr<PartBuffer> buffer);
  /// No more buffers will come.
  void End() { is_ended_ = true; }
  std::optional<QueuedPart> Next();

  [[nodiscard]] bool empty() const { return buffers_.empty(); }
  /// The number of parts that were cut.
  [[nodiscard]] int cut() const { return cut_; }
  /// The least number of parts for what was cut and what waits.
  [[nodiscard]] int least_parts() const { return cut_ + static_cast<int>(buffers_.size()); }

 private:
  const std::uint64_t concurrency_;
  std::deque<std::shared_ptr<PartBuffer>> buffers_;
  std::size_t taken_ = 0;  // Bytes of the first buffer that were cut off.
  std::uint64_t queued_ = 0;
  int cut_ = 0;
  bool is_ended_ = false;
};

}  // namespace gcsflux::internal
