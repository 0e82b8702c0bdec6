#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "client/gunzip.h"
#include "gcsflux/client.h"
#include "http/transport.h"
#include "wire/read_response.h"

namespace gcsflux::internal {

/// The destination of a read's bytes.
struct ReadTarget {
  const ByteSink& sink;
  std::uint64_t capacity;  ///< Most bytes that it takes.
  /// Discards what the sink has taken. Null if that is not possible.
  std::function<void()> rewind = {};
  /// The caller compares the bytes with a CRC32C: a listing's, or that of the whole object of which this is a part.
  bool is_verified_by_caller = false;
  /// The sink copies to memory and does nothing else. A UserCodeSection around it would make it wait for its own copy:
  /// its atomic operations wait until the copied bytes have left the processor.
  bool is_copy = false;
  /// The caller computes checksums itself. ReadSummary::crc32c is then set only for a read of the whole object.
  bool sums_itself = false;
};

/// The state of one read over all its requests. It receives their bodies. Used by one thread.
class ReadInProgress : public BodyReceiver {
 public:
  /// Both must outlive it. `must_verify` is ClientOptions::require_checksum.
  ReadInProgress(const ReadObjectOptions& options, const ReadTarget& target, bool must_verify);

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  /// The generation that later requests must read: that of the bytes delivered so far.
  [[nodiscard]] std::optional<std::int64_t> pinned() const {
    return delivered_ > 0 ? std::optional(info_->generation) : std::nullopt;
  }
  /// True for a read of the whole object without a checksum to compare with.
  [[nodiscard]] bool is_unverified() const {
    return info_ && is_whole() && !info_->crc32c && !target_.is_verified_by_caller;
  }
  [[nodiscard]] bool is_complete() const { return info_ && delivered_ == expected(); }
  /// The error that the caller's sink returned; it ends the read.
  [[nodiscard]] const std::optional<Error>& sink_error() const { return sink_error_; }
  /// True once after each request that delivered bytes.
  [[nodiscard]] bool has_moved() { return std::exchange(moved_, false); }

  Result<bool> OnHeaders(const HttpResponse& response) override;
  Result<void> OnBody(std::span<const std::byte> data) override;

  /// The summary of a complete read. For a whole object, its checksum is compared with the service's.
  [[nodiscard]] Result<ReadSummary> Finish();

  /// Starts the read again. True if the target allows it.
  bool Rewind();

 private:
  [[nodiscard]] Result<void> CheckAnswer(const ReadResponseInfo& info) const;
  Result<void> CheckLength(const ReadResponseInfo& info);
  [[nodiscard]] bool IsOfTheSame(const ReadResponseInfo& info) const {
    return told_ && told_->generation == info.generation;
  }
  Result<void> Deliver(std::span<const std::byte> data);
  [[nodiscard]] std::uint64_t expected() const;
  [[nodiscard]] bool is_whole() const { return range_.offset == 0 && expected() == info_->object_size; }

  const ByteRange range_;
  const std::optional<std::int64_t> asked_generation_;
  const bool decompress_;
  const bool must_verify_;
  const ProgressCallback& on_progress_;
  const ReadTarget& target_;
  std::uint64_t delivered_ = 0;
  std::uint32_t crc32c_ = 0;
  bool moved_ = false;
  bool is_summed_ = true;
  int doubts_ = 0;  // Answers in a row whose length was not believed.
  std::optional<ReadResponseInfo> info_;
  // Of the last answer, also if the read began again since. What one said of a generation holds for later ones too.
  std::optional<ReadResponseInfo> told_;
  std::optional<Gunzip> gunzip_;
  std::optional<Error> sink_error_;
};

}  // namespace gcsflux::internal
