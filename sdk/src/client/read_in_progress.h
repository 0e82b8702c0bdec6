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

/// Where a read's bytes go.
struct ReadTarget {
  const ByteSink& sink;
  std::uint64_t room;  ///< At most so many bytes.
  /// Takes back what the sink has taken; null where that cannot be.
  std::function<void()> rewind = {};
  /// The caller compares the bytes with the CRC32C of a listing, or of the whole that this is a part of.
  bool is_vouched_for = false;
  /// The caller computes checksums itself: ReadSummary::crc32c is that of a read of the whole object only.
  bool sums_itself = false;
};

/// What one read has come to, over all its requests. It receives their bodies. Used by one thread.
class ReadInProgress : public BodyReceiver {
 public:
  /// Both must outlive it. `must_verify` as ClientOptions::require_checksum has it.
  ReadInProgress(const ReadObjectOptions& options, const ReadTarget& target, bool must_verify);

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  /// The generation that later requests must read: the one of the bytes delivered so far.
  [[nodiscard]] std::optional<std::int64_t> pinned() const {
    return delivered_ > 0 ? std::optional(info_->generation) : std::nullopt;
  }
  /// It is one of the whole object, without anything to compare its bytes with.
  [[nodiscard]] bool is_unverified() const { return info_ && is_whole() && !info_->crc32c && !target_.is_vouched_for; }
  [[nodiscard]] bool is_complete() const { return info_ && delivered_ == expected(); }
  /// What the caller's sink returned, which ends the read as it is.
  [[nodiscard]] const std::optional<Error>& sink_error() const { return sink_error_; }
  /// True once after each request that delivered anything.
  [[nodiscard]] bool has_moved() { return std::exchange(moved_, false); }

  Result<bool> OnHeaders(const HttpResponse& response) override;
  Result<void> OnBody(std::span<const std::byte> data) override;

  /// What was delivered, once it is complete and, where it is the whole object, its checksum is the service's.
  [[nodiscard]] Result<ReadSummary> Finish();

  /// Begins anew, with the target. True where the target allows that.
  bool Rewind();

 private:
  [[nodiscard]] Result<void> CheckAnswer(const ReadResponseInfo& info) const;
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
  std::optional<ReadResponseInfo> info_;
  std::optional<Gunzip> gunzip_;
  std::optional<Error> sink_error_;
};

}  // namespace gcsflux::internal
