#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/sha256.h"
#include "base/text/hex.h"
#include "gcsflux/parallel_writer.h"
#include "transfer/file_upload/file_parts.h"
#include "transfer/file_upload/file_session.h"
#include "transfer/file_upload/file_upload.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/rewindable_upload.h"
#include "transfer/upload/write_path.h"
#include "wire/upload_state.h"

namespace gcsflux {
namespace {

using internal::FileParts;
using internal::FileUpload;

Result<void> CheckOptions(const FileUpload& upload) {
  if (auto checked = internal::CheckUpload(CoreOf(upload.client), upload.object, upload.upload()); !checked)
    return checked;
  if (upload.options.writing.is_private_name) {
    return Error{ErrorCode::kInvalidArgument, "ResumableFileOptions::writing must not be for a private name"};
  }
  return internal::CheckWriterOptions(upload.options.writing);
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

Result<StoredFile> FinishParts(FileParts& parts, std::string reason) {
  auto stored = parts.Finish();
  if (!stored) return stored.error();
  return StoredFile{*std::move(stored), parts.kept_bytes(), WriteMethod::kPartsAndCompose, std::move(reason)};
}

// What an earlier call left: its result if it could be continued, otherwise nothing.
std::optional<Result<StoredFile>> ContinueOld(const FileUpload& upload) {
  const internal::SavedState saved = internal::StateOf(upload);
  if (const auto state = internal::ParsePartsState(saved.text)) {
    if (!saved.is_of_this_upload || !internal::CanContinue(upload, *state)) {
      internal::DropParts(upload, *state);
      return std::nullopt;
    }
    FileParts parts(upload);
    if (auto continued = parts.Continue(*state); !continued) {
      // A new upload needs no permission to list parts.
      if (continued.error().code == ErrorCode::kPermissionDenied) return std::nullopt;
      return continued.error();
    }
    return FinishParts(parts, "it continues parts that were sent before");
  }
  if (!saved.is_of_this_upload) {
    internal::DropSession(upload, saved.text);
    return std::nullopt;
  }
  auto sent = internal::ContinueSession(upload, saved.text);
  if (sent) sent->reason = "it continues a session of an interrupted upload";
  return sent;
}

Result<StoredFile> SendOneStream(const FileUpload& upload, const std::string& reason) {
  const bool has_session = upload.file.size() > upload.upload().chunk_bytes;
  if (has_session && upload.is_resumable()) {
    auto sent = internal::SendBySession(upload);
    if (sent) sent->reason = reason;
    return sent;
  }
  auto stored = internal::UploadRewindable(CoreOf(upload.client), upload.object, upload.file, upload.upload());
  if (!stored) return stored.error();
  return StoredFile{*std::move(stored), 0, has_session ? WriteMethod::kOneStream : WriteMethod::kSingleInsert, reason};
}

Result<StoredFile> SendNew(const FileUpload& upload) {
  const std::uint64_t least = std::max<std::uint64_t>(kLeastParallelFile, upload.options.writing.part_bytes);
  if (upload.file.size() <= least) return SendOneStream(upload, "the file is not larger than one stream sends fast");
  if (upload.options.writing.path == WritePath::kOneStream) return SendOneStream(upload, "one stream was asked for");
  FileParts parts(upload);
  const auto choice = parts.Begin();
  if (!choice) return choice.error();
  if (choice->method == WriteMethod::kOneStream) return SendOneStream(upload, choice->reason);
  return FinishParts(parts, choice->reason);
}

Result<StoredFile> UploadOrContinue(const Client& client, const std::string& path, const ObjectName& object,
                                    const ResumableFileOptions& options) {
  const auto file = internal::FileSource(path);
  if (!file) return file.error();
  const FileUpload upload{client, object, **file, options};
  if (auto checked = CheckOptions(upload); !checked) {
    return InCall(internal::InsertCall(object, upload.upload()), checked.error());
  }
  if (auto continued = ContinueOld(upload); continued) {
    if (*continued || !IsOfTheOldUpload(continued->error())) return *std::move(continued);
  }
  constexpr int kMostUploads = 3;
  for (int i = 1;; ++i) {
    auto sent = SendNew(upload);
    if (sent || !IsLost(sent.error()) || i == kMostUploads) return sent;
  }
}

}  // namespace

Result<StoredFile> UploadFileResumably(const Client& client, const std::string& path, const ObjectName& object,
                                       const ResumableFileOptions& options) {
  return internal::ExceptionsAsErrors([&] { return UploadOrContinue(client, path, object, options); },
                                      WriteOutcome::kUnknown);
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
