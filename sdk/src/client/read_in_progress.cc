#include "client/read_in_progress.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/call_user_code.h"
#include "base/crc32c.h"
#include "base/tell_progress.h"
#include "client/reported_checksum.h"

namespace gcsflux::internal {

ReadInProgress::ReadInProgress(const ReadObjectOptions& options, const ReadTarget& target, bool must_verify)
    : range_(options.range.value_or(ByteRange{})),
      asked_generation_(options.generation ? options.generation : options.preconditions.if_generation_match),
      decompress_(options.decompress_gzip),
      must_verify_(must_verify),
      on_progress_(options.on_progress),
      target_(target) {}

Result<bool> ReadInProgress::OnHeaders(const HttpResponse& response) {
  if (response.status >= 300) return false;
  if (response.status != 200 && response.status != 206) {
    return Error{ErrorCode::kBadResponse, std::to_string(response.status) + " is no answer to a read of bytes",
                 response.status};
  }
  auto info = ParseReadResponse(response);
  if (!info) return info.error();
  if (auto checked = CheckAnswer(*info); !checked) return checked.error();
  if (auto checked = CheckLength(*info); !checked) return checked.error();
  if (IsOfTheSame(*info) && !info->crc32c) info->crc32c = told_->crc32c;
  info_ = told_ = *info;
  is_summed_ = !target_.sums_itself || is_whole();
  if (delivered_ == 0) {
    gunzip_.reset();
    if (decompress_ && info_->is_gzip) gunzip_.emplace();
  }
  if (!gunzip_ && expected() > target_.capacity) {
    return Error{ErrorCode::kInvalidArgument, "the buffer holds " + std::to_string(target_.capacity) +
                                                  " bytes, the read gives " + std::to_string(expected())};
  }
  if (must_verify_ && is_unverified()) {
    return Error{ErrorCode::kUnverified, "the service gives no CRC32C (x-goog-hash) to check the bytes by"};
  }
  return true;
}

// Checks that the answer is the requested one, and does not contradict the previous answer of this read.
Result<void> ReadInProgress::CheckAnswer(const ReadResponseInfo& info) const {
  const auto wrong = [](const std::string& what) { return Error{ErrorCode::kBadResponse, "the answer " + what}; };
  if (info.offset != range_.offset + delivered_) {
    return wrong("begins at byte " + std::to_string(info.offset) + ", not where it was asked to");
  }
  const auto asked = pinned() ? pinned() : asked_generation_;
  if (asked && info.generation != *asked) {
    return wrong("is of generation " + std::to_string(info.generation) + ", not of " + std::to_string(*asked) +
                 ", which was asked for");
  }
  if (!IsOfTheSame(info)) return {};
  if (info.object_size != told_->object_size) return wrong("says another size than the one before it");
  if (info.crc32c && told_->crc32c && *info.crc32c != *told_->crc32c) {
    return wrong("says another CRC32C than the one before it");
  }
  return {};
}

// None of its bytes is taken: under the headers of an object, a proxy may send the text of an error. Such an answer is
// believed when it comes four times in a row.
Result<void> ReadInProgress::CheckLength(const ReadResponseInfo& info) {
  constexpr int kBelieved = 4;
  doubts_ = info.has_other_length ? doubts_ + 1 : 0;
  if (doubts_ == 0) return {};
  return Error{doubts_ >= kBelieved ? ErrorCode::kBadResponse : ErrorCode::kTruncated,
               "the answer announces a body of another length than its headers give it"};
}

Result<void> ReadInProgress::OnBody(std::span<const std::byte> data) {
  if (data.size() > expected() - delivered_) return Error{ErrorCode::kBadResponse, "more bytes came than announced"};
  if (auto taken = Deliver(data); !taken) {
    sink_error_ = taken.error();
    return Error{ErrorCode::kLocalIo, "the caller's sink failed"};
  }
  return {};
}

Result<void> ReadInProgress::Deliver(std::span<const std::byte> data) {
  const auto write = [&] { return gunzip_ ? gunzip_->Write(data, target_.sink) : target_.sink(data); };
  auto taken = target_.is_copy ? CallCatching("sink", write) : CallUserCode("sink", write);
  if (!taken) return taken;
  if (is_summed_) crc32c_ = ExtendCrc32c(crc32c_, data);
  delivered_ += data.size();
  moved_ = true;
  return TellProgress(on_progress_, {delivered_, expected()});
}

// The number of bytes of the whole read; known after the first answer.
std::uint64_t ReadInProgress::expected() const {
  const std::uint64_t rest = info_->object_size - std::min(range_.offset, info_->object_size);
  return std::min(range_.length.value_or(std::numeric_limits<std::uint64_t>::max()), rest);
}

Result<ReadSummary> ReadInProgress::Finish() {
  const bool can_verify = is_whole() && info_->crc32c;
  if (can_verify && *info_->crc32c != crc32c_) {
    return WrongChecksum("", crc32c_, *info_->crc32c);
  }
  ReadSummary summary{.bytes = delivered_,
                      .generation = info_->generation,
                      .object_size = info_->object_size,
                      .crc32c = crc32c_,
                      .is_verified = can_verify,
                      .object_crc32c = info_->crc32c};
  if (!gunzip_) return summary;
  if (auto ended = gunzip_->Finish(); !ended) return ended.error();
  summary.bytes = gunzip_->bytes();
  summary.is_decompressed = true;
  return summary;
}

bool ReadInProgress::Rewind() {
  if (!target_.rewind) return false;
  target_.rewind();
  delivered_ = 0;
  crc32c_ = 0;
  info_.reset();
  return true;
}

}  // namespace gcsflux::internal
