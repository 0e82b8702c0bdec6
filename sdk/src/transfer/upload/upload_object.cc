#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/sha256.h"
#include "base/text/hex.h"
#include "gcsflux/upload.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/rewindable_upload.h"
#include "transfer/upload/source_parts.h"
#include "transfer/upload/source_session.h"
#include "transfer/upload/source_upload.h"
#include "transfer/upload/write_path.h"
#include "wire/upload_state.h"

namespace gcsflux {
namespace {

using internal::SourceParts;
using internal::SourceUpload;

Result<void> CheckOptions(const SourceUpload& upload) {
  if (auto checked = internal::CheckUpload(CoreOf(upload.client), upload.object, upload.options); !checked)
    return checked;
  if (upload.options.is_private_name && upload.is_resumable()) {
    return Error{ErrorCode::kInvalidArgument, "UploadOptions::is_private_name and save_state exclude each other"};
  }
  return internal::CheckWriterOptions(upload.options);
}

// The upload is gone: nothing of it is visible, and all of it can be sent again.
bool IsLost(const Error& error) {
  const bool is_gone = error.code == ErrorCode::kSessionLost || error.code == ErrorCode::kAborted;
  return is_gone && error.outcome == WriteOutcome::kNotStored;
}

// Errors of an upload that another call began, and that may not occur in a new one.
bool IsOfTheOldUpload(const Error& error) {
  const bool is_refused = error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kCorrupted;
  return IsLost(error) || (is_refused && error.outcome == WriteOutcome::kNotStored);
}

Result<UploadReport> FinishParts(SourceParts& parts, const internal::PathChoice& choice) {
  auto stored = parts.Finish();
  if (!stored) return stored.error();
  return UploadReport{*std::move(stored), parts.kept_bytes(), choice.path, choice.reason};
}

// What an earlier call left: its result if it could be continued, otherwise nothing.
std::optional<Result<UploadReport>> ContinueOld(const SourceUpload& upload) {
  const internal::SavedState saved = internal::StateOf(upload);
  if (const auto state = internal::ParsePartsState(saved.text)) {
    if (!saved.is_of_this_upload || !internal::CanContinue(upload, *state)) {
      internal::DropParts(upload.client, *state, upload.options.call);
      return std::nullopt;
    }
    SourceParts parts(upload);
    if (auto continued = parts.Continue(*state); !continued) {
      // A new upload needs no permission to list parts.
      if (continued.error().code == ErrorCode::kPermissionDenied) return std::nullopt;
      return continued.error();
    }
    return FinishParts(parts, {WritePath::kParallel, "it continues parts that were sent before"});
  }
  if (!saved.is_of_this_upload) {
    internal::DropSession(upload, saved.text);
    return std::nullopt;
  }
  auto sent = internal::ContinueSession(upload, saved.text);
  if (sent) sent->reason = "it continues a session of an interrupted upload";
  return sent;
}

// Sends it again if what was sent is gone.
std::optional<Result<UploadReport>> SendAgainIfLost(const std::function<std::optional<Result<UploadReport>>()>& send) {
  constexpr int kMostUploads = 3;
  for (int i = 1;; ++i) {
    auto sent = send();
    if (!sent || *sent || !IsLost(sent->error()) || i == kMostUploads) return sent;
  }
}

Result<UploadReport> SendOneStream(const SourceUpload& upload, const std::string& reason) {
  const bool has_session = upload.source.size() > upload.options.chunk_bytes;
  if (has_session && upload.is_resumable()) {
    auto sent = *SendAgainIfLost([&] { return std::optional(internal::SendBySession(upload)); });
    if (sent) sent->reason = reason;
    return sent;
  }
  auto stored = internal::UploadRewindable(CoreOf(upload.client), upload.object, upload.source, upload.options);
  if (!stored) return stored.error();
  return UploadReport{*std::move(stored), 0, has_session ? WritePath::kOneStream : WritePath::kOneRequest, reason};
}

Result<UploadReport> SendNew(const SourceUpload& upload) {
  const std::uint64_t least = std::max<std::uint64_t>(kLeastParallelUpload, upload.options.part_bytes);
  if (upload.source.size() <= least) return SendOneStream(upload, "it is not larger than one stream sends fast");
  if (upload.options.path == WritePath::kOneStream) return SendOneStream(upload, "one stream was asked for");
  std::string why_one_stream;
  auto sent = SendAgainIfLost([&]() -> std::optional<Result<UploadReport>> {
    SourceParts parts(upload);
    const auto choice = parts.Begin();
    if (!choice) return Result<UploadReport>(choice.error());
    if (choice->path != WritePath::kOneStream) return FinishParts(parts, *choice);
    why_one_stream = choice->reason;
    return std::nullopt;
  });
  return sent ? *std::move(sent) : SendOneStream(upload, why_one_stream);
}

Result<UploadReport> UploadOrContinue(const SourceUpload& upload) {
  if (auto checked = CheckOptions(upload); !checked) {
    return InCall(internal::InsertCall(upload.object, upload.options), checked.error());
  }
  if (auto continued = ContinueOld(upload); continued) {
    if (*continued || !IsOfTheOldUpload(continued->error())) return *std::move(continued);
  }
  return SendNew(upload);
}

}  // namespace

Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options) {
  if (auto checked = internal::CheckBytes(object, data); !checked) return checked.error();
  const auto upload = [&]() -> Result<ObjectMetadata> {
    if (options.save_state || !options.state.empty()) {
      return InCall(internal::InsertCall(object, options),
                    {ErrorCode::kInvalidArgument, "UploadOptions::state and save_state are for UploadFile() only"});
    }
    const auto source = internal::MemorySource(data);
    auto stored = UploadOrContinue({client, object, *source, options});
    if (!stored) return stored.error();
    return std::move(stored->object);
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

Result<UploadReport> UploadFile(const Client& client, const std::string& path, const ObjectName& object,
                                const UploadOptions& options) {
  const auto upload = [&]() -> Result<UploadReport> {
    const auto source = internal::FileSource(path);
    if (!source) return source.error();
    return UploadOrContinue({client, object, **source, options});
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

std::string UploadStateName(const Client& client, const std::string& path, const ObjectName& object,
                            const UploadOptions& options) {
  std::error_code error;
  const std::string all = CoreOf(client).endpoint() + "\n" + ToUri(object) + "\n" +
                          std::filesystem::absolute(path, error).string() + "\n" +
                          std::to_string(static_cast<int>(options.mode)) + "\n" + options.attributes.content_type;
  return internal::HexEncode(internal::Sha256(all));
}

}  // namespace gcsflux
