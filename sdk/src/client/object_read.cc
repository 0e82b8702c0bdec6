// One read over as many requests as it takes. It resumes behind the last byte delivered.
#include "client/object_read.h"

#include <cstring>
#include <functional>
#include <limits>
#include <optional>

#include "base/object_name.h"
#include "client/operation_calls.h"
#include "client/read_in_progress.h"
#include "wire/object_requests.h"

namespace gcsflux {
namespace {

using internal::Attempts;
using internal::Call;
using internal::ReadInProgress;
using internal::ReadTarget;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

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

// Reads the missing bytes in one request.
Result<ReadSummary> ReadRest(const ClientCore& core, const ObjectName& object, const ReadObjectOptions& options,
                             ReadInProgress& read, const std::string& id, Attempts& attempts) {
  if (!read.is_complete()) {
    const bool is_pinned = read.pinned().has_value();
    if (is_pinned) core.observer().ReadResumed();
    const auto make_rest = [&]() -> std::optional<internal::HttpRequest> {
      if (read.is_complete()) return std::nullopt;
      return internal::ReadObjectRequest(core.endpoint(), object, options, read.delivered(), read.pinned());
    };
    const internal::RestOfRead rest = std::ref(make_rest);
    const auto request = rest();
    const auto response = core.Send({*request, id, attempts, &read, &rest});
    if (read.has_moved()) attempts.NoteProgress();
    if (!response && is_pinned && response.error().code == ErrorCode::kNotFound) {
      return Error{ErrorCode::kAborted, "the object changed or was deleted while it was being read", 404};
    }
    if (!response && is_pinned && response.error().code == ErrorCode::kOutOfRange) {
      return Error{ErrorCode::kBadResponse, "the object ends before the end that an earlier answer said", 416};
    }
    // If an answer contradicts itself, the read fails, even if all bytes came before the contradiction.
    const bool is_lie = !response && response.error().code == ErrorCode::kBadResponse;
    if (!response && (is_lie || !read.is_complete())) return response.error();
    if (!read.is_complete()) return Error{ErrorCode::kTruncated, "the body ended early"};
  }
  return read.Finish();
}

}  // namespace

Result<ReadSummary> internal::ReadInto(const ClientCore& core, const ObjectName& object,
                                       const ReadObjectOptions& options, const ReadTarget& target) {
  if (auto checked = internal::CheckObject(object); !checked) return checked.error();
  if (auto checked = CheckRange(options); !checked) return checked.error();
  ReadInProgress read(options, target, core.settings().require_checksum);
  Call call = internal::MakeCall(core, internal::Operation::kReadObject, object, options);
  call.subject = Subject(object, options.range);
  if (auto checked = internal::CheckOptions(core, options); !checked) return InCall(call, checked.error());
  const std::string id = core.NewInvocationId();
  const auto read_rest = [&](Attempts& attempts) {
    auto done = ReadRest(core, object, options, read, id, attempts);
    const bool is_over = done || done.error().code == ErrorCode::kUnverified;
    if (is_over && read.is_unverified()) core.observer().Report(attempts.Of(EventKind::kUnverifiedRead));
    return done;
  };
  auto summary = core.Retry(call, [&](Attempts& attempts) {
    auto done = read_rest(attempts);
    const bool is_corrupted = !done && done.error().code == ErrorCode::kCorrupted;
    if (!is_corrupted || !attempts.may_follow() || !read.Rewind() || !attempts.StartOver(done.error())) return done;
    // The bytes may be damaged in transit or in storage; a second read tells which.
    return read_rest(attempts);
  });
  if (read.sink_error()) return *read.sink_error();
  return summary;
}

Result<ReadSummary> Client::ReadObject(const ObjectName& object, std::span<std::byte> buffer,
                                       const ReadObjectOptions& options) const {
  if (auto checked = internal::CheckBytes(object, buffer); !checked) return checked.error();
  std::span<std::byte> rest = buffer;
  const ByteSink copy = [&](std::span<const std::byte> data) -> Result<void> {
    if (data.size() > rest.size()) {  // For data that is not compressed, this was checked with the answer's headers.
      return Error{ErrorCode::kInvalidArgument, "objects.get " + ToUri(object) + ": the buffer holds " +
                                                    std::to_string(buffer.size()) +
                                                    " bytes, and the object is larger than that when decompressed"};
    }
    std::memcpy(rest.data(), data.data(), data.size());
    rest = rest.subspan(data.size());
    return {};
  };
  return internal::ReadInto(
      core(), object, options,
      {.sink = copy, .capacity = buffer.size(), .rewind = [&] { rest = buffer; }, .is_copy = true});
}

Result<ReadSummary> Client::ReadObject(const ObjectName& object, const ByteSink& sink,
                                       const ReadObjectOptions& options) const {
  if (!sink) return Error{ErrorCode::kInvalidArgument, "objects.get " + ToUri(object) + ": the sink is null"};
  return internal::ReadInto(core(), object, options, {.sink = sink, .capacity = kNoLimit});
}

Result<std::string> Client::ReadObject(const ObjectName& object, const ReadObjectOptions& options) const {
  std::string content;
  const ByteSink append = [&content](std::span<const std::byte> data) -> Result<void> {
    content.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const ReadTarget target{.sink = append, .capacity = kNoLimit, .rewind = [&] { content.clear(); }, .is_copy = true};
  if (auto summary = internal::ReadInto(core(), object, options, target); !summary) return summary.error();
  return content;
}

}  // namespace gcsflux
