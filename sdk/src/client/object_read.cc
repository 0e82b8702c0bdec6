// Client::ReadObject: one read over as many requests as it takes, resumed at the last byte delivered.
#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/crc32c.h"
#include "base/object_name.h"
#include "client/check_options.h"
#include "client/gunzip.h"
#include "client/make_call.h"
#include "gcsflux/client.h"
#include "wire/object_requests.h"
#include "wire/read_response.h"

namespace gcsflux {
namespace {

using internal::Attempts;
using internal::BodyReceiver;
using internal::Call;
using internal::HttpResponse;
using internal::ReadResponseInfo;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// What one read has come to, over all its requests. It receives their bodies.
class ReadInProgress : public BodyReceiver {
 public:
  ReadInProgress(const ReadObjectOptions& options, const ByteSink& sink, std::uint64_t room)
      : range_(options.range.value_or(ByteRange{})),
        decompress_(options.decompress_gzip),
        on_progress_(options.on_progress),
        sink_(sink),
        room_(room) {}

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  /// The generation that later requests must read: the one of the bytes delivered so far.
  [[nodiscard]] std::optional<std::int64_t> pinned() const {
    return delivered_ > 0 ? std::optional(info_->generation) : std::nullopt;
  }
  [[nodiscard]] bool is_complete() const { return info_ && delivered_ == expected(); }
  /// What the caller's sink returned, which ends the read as it is.
  [[nodiscard]] const std::optional<Error>& sink_error() const { return sink_error_; }
  /// True once after each request that delivered anything.
  [[nodiscard]] bool has_moved() { return std::exchange(moved_, false); }

  Result<bool> OnHeaders(const HttpResponse& response) override {
    if (response.status != 200 && response.status != 206) return false;
    auto info = internal::ParseReadResponse(response);
    if (!info) return info.error();
    if (info->offset != range_.offset + delivered_) {
      return Error{ErrorCode::kBadResponse,
                   "the answer begins at byte " + std::to_string(info->offset) + ", not where it was asked to"};
    }
    if (pinned() && info->generation != *pinned()) return Error{ErrorCode::kAborted, "the object changed meanwhile"};
    info_ = *info;
    if (delivered_ == 0) {
      gunzip_.reset();
      if (decompress_ && info_->is_gzip) gunzip_.emplace();
    }
    if (!gunzip_ && expected() > room_) {
      return Error{ErrorCode::kInvalidArgument, "the buffer holds " + std::to_string(room_) +
                                                    " bytes, the read gives " + std::to_string(expected())};
    }
    return true;
  }

  Result<void> OnBody(std::span<const std::byte> data) override {
    if (data.size() > expected() - delivered_) return Error{ErrorCode::kBadResponse, "more bytes came than announced"};
    if (auto taken = Deliver(data); !taken) {
      sink_error_ = taken.error();
      return Error{ErrorCode::kLocalIo, "the caller's sink failed"};
    }
    crc32c_ = internal::ExtendCrc32c(crc32c_, data);
    delivered_ += data.size();
    moved_ = true;
    if (on_progress_) on_progress_({delivered_, expected()});
    return {};
  }

  /// What was delivered, once it is complete and, where it is the whole object, its checksum is the service's.
  [[nodiscard]] Result<ReadSummary> Finish() const {
    const bool is_whole = range_.offset == 0 && delivered_ == info_->object_size;
    if (is_whole && info_->crc32c && *info_->crc32c != crc32c_) {
      return Error{ErrorCode::kCorrupted, "crc32c " + internal::Crc32cToBase64(crc32c_) +
                                              " of the bytes that came is not " +
                                              internal::Crc32cToBase64(*info_->crc32c) + " of the object"};
    }
    ReadSummary summary{delivered_, info_->generation, info_->object_size, crc32c_};
    if (!gunzip_) return summary;
    if (auto ended = gunzip_->Finish(); !ended) return ended.error();
    summary.bytes = gunzip_->bytes();
    summary.is_decompressed = true;
    return summary;
  }

 private:
  // Nothing may be thrown through libcurl.
  Result<void> Deliver(std::span<const std::byte> data) try {
    return gunzip_ ? gunzip_->Write(data, sink_) : sink_(data);
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::kLocalIo, std::string("the caller's sink threw: ") + thrown.what()};
  } catch (...) {
    return Error{ErrorCode::kLocalIo, "the caller's sink threw something"};
  }

  // The bytes that the whole read gives, known once an answer came.
  [[nodiscard]] std::uint64_t expected() const {
    const std::uint64_t rest = info_->object_size - std::min(range_.offset, info_->object_size);
    return std::min(range_.length.value_or(kNoLimit), rest);
  }

  const ByteRange range_;
  const bool decompress_;
  const ProgressCallback& on_progress_;
  const ByteSink& sink_;
  const std::uint64_t room_;
  std::uint64_t delivered_ = 0;
  std::uint32_t crc32c_ = 0;
  bool moved_ = false;
  std::optional<ReadResponseInfo> info_;
  std::optional<internal::Gunzip> gunzip_;
  std::optional<Error> sink_error_;
};

std::string Subject(const ObjectName& object, const std::optional<ByteRange>& range) {
  std::string subject = ToUri(object);
  if (!range) return subject;
  subject += " [" + std::to_string(range->offset) + ", ";
  return subject + (range->length ? std::to_string(range->offset + *range->length) : std::string("end")) + ")";
}

Result<void> CheckRange(const ReadObjectOptions& options) {
  const auto& range = options.range;
  if (range && options.decompress_gzip) {
    return Error{ErrorCode::kInvalidArgument, "a range is one of stored bytes, which are not decompressed"};
  }
  if (!range || !range->length) return {};
  if (*range->length == 0) return Error{ErrorCode::kInvalidArgument, "a range of no bytes cannot be read"};
  if (*range->length > kNoLimit - range->offset) return Error{ErrorCode::kInvalidArgument, "the range's end overflows"};
  return {};
}

Result<ReadSummary> Read(const ClientCore& core, const ObjectName& object, const ReadObjectOptions& options,
                         const ByteSink& sink, std::uint64_t room) {
  if (auto checked = internal::CheckObject(object); !checked) return checked.error();
  if (auto checked = CheckRange(options); !checked) return checked.error();
  ReadInProgress read(options, sink, room);
  Call call = internal::MakeCall(core, internal::Operation::kReadObject, object, options);
  call.subject = Subject(object, options.range);
  if (auto checked = internal::CheckOptions(core, options); !checked) return InCall(call, checked.error());
  const std::string id = core.NewInvocationId();
  auto summary = core.Retry(call, [&](Attempts& attempts) -> Result<ReadSummary> {
    if (!read.is_complete()) {
      const auto pinned = read.pinned();
      const auto rest = [&]() -> std::optional<internal::HttpRequest> {
        if (read.is_complete()) return std::nullopt;
        return internal::ReadObjectRequest(core.endpoint(), object, options, read.delivered(), read.pinned());
      };
      const auto response = core.Send(*rest(), id, attempts, options.stop, &read, rest);
      if (read.has_moved()) attempts.NoteProgress();
      if (!response && pinned && response.error().code == ErrorCode::kNotFound) {
        return Error{ErrorCode::kAborted, "the object changed or was deleted while it was being read", 404};
      }
      if (!response && !read.is_complete()) return response.error();
      if (!read.is_complete()) return Error{ErrorCode::kTruncated, "the body ended early"};
    }
    return read.Finish();
  });
  if (read.sink_error()) return *read.sink_error();
  return summary;
}

}  // namespace

Result<ReadSummary> Client::ReadObject(const ObjectName& object, std::span<std::byte> buffer,
                                       const ReadObjectOptions& options) const {
  if (auto checked = internal::CheckBytes(object, buffer); !checked) return checked.error();
  std::span<std::byte> room = buffer;
  const ByteSink copy = [&](std::span<const std::byte> data) -> Result<void> {
    if (data.size() > room.size()) {  // Of what is not decompressed that was checked when the answer's headers came.
      return Error{ErrorCode::kInvalidArgument, "objects.get " + ToUri(object) + ": the buffer holds " +
                                                    std::to_string(buffer.size()) +
                                                    " bytes, and the object is larger than that when decompressed"};
    }
    std::memcpy(room.data(), data.data(), data.size());
    room = room.subspan(data.size());
    return {};
  };
  return Read(*core_, object, options, copy, buffer.size());
}

Result<ReadSummary> Client::ReadObject(const ObjectName& object, const ByteSink& sink,
                                       const ReadObjectOptions& options) const {
  if (!sink) return Error{ErrorCode::kInvalidArgument, "objects.get " + ToUri(object) + ": the sink is null"};
  return Read(*core_, object, options, sink, kNoLimit);
}

Result<std::string> Client::ReadObject(const ObjectName& object, const ReadObjectOptions& options) const {
  std::string content;
  const ByteSink append = [&content](std::span<const std::byte> data) -> Result<void> {
    content.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  if (auto summary = Read(*core_, object, options, append, kNoLimit); !summary) return summary.error();
  return content;
}

}  // namespace gcsflux
