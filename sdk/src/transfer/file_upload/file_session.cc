#include "transfer/file_upload/file_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/client_core.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/upload_session.h"
#include "wire/resumable_upload.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {
namespace {

// The sent bytes are useless.
Error GiveUp(ObjectWriter& writer, const Error& error) {
  writer.Cancel();
  return error;
}

Result<ObjectMetadata> Feed(const FileUpload& upload, ObjectWriter& writer) {
  constexpr std::uint64_t kBlock = 1U << 20;
  const UploadSource& file = upload.file;
  std::vector<std::byte> room;
  for (std::uint64_t at = writer.position(); at < file.size(); at = writer.position()) {
    const auto data = file.Read(at, static_cast<std::size_t>(std::min(kBlock, file.size() - at)), room);
    if (!data) return GiveUp(writer, data.error());
    if (auto written = writer.Write(*data); !written) return written.error();
  }
  if (auto unchanged = file.CheckUnchanged(); !unchanged) return GiveUp(writer, unchanged.error());
  return writer.Close();
}

Error LeaveSession(const FileUpload& upload, const Error& error) {
  if (!KeepsUpload(error)) static_cast<void>(upload.Forget());
  return error;
}

// The bytes that an earlier call sent are read again: only their checksum tells that they are still those of the file.
Result<void> CheckPrefix(const FileUpload& upload, const UploadState& session) {
  if (session.persisted > upload.file.size()) return Error{ErrorCode::kCorrupted, "the session has more than the file"};
  const auto crc32c = ChecksumOf(upload.file, session.persisted, upload.upload().stop);
  if (!crc32c) return crc32c.error();
  if (*crc32c == session.crc32c) return {};
  return Error{ErrorCode::kCorrupted, "the file's bytes are not those that an earlier call sent"};
}

}  // namespace

Result<StoredFile> SendBySession(const FileUpload& upload) {
  // The state is saved from the beginning, because a killed process cannot save it later.
  auto state = ObjectWriter(upload.client, upload.object, upload.upload()).Suspend();
  if (!state) return state.error();
  if (auto saved = upload.Save(*state); !saved) return saved.error();
  return ContinueSession(upload, *state);
}

Result<StoredFile> ContinueSession(const FileUpload& upload, const std::string& state) {
  const auto session = ParseUploadState(state);
  if (!session) return LeaveSession(upload, session.error());
  if (auto same = CheckPrefix(upload, *session); !same) {
    if (!KeepsUpload(same.error())) DropSession(upload, state);
    return LeaveSession(upload, InCall(InsertCall(upload.object, upload.upload()), same.error()));
  }
  auto writer = ObjectWriter::Resume(upload.client, state, upload.upload());
  if (!writer) {
    Error error = writer.error();
    // An earlier call may have stored it. This call is a separate write, and has stored nothing.
    if (error.code == ErrorCode::kOutcomeUnknown) {
      error.code = ErrorCode::kSessionLost;
      error.outcome = WriteOutcome::kNotStored;
    }
    return LeaveSession(upload, error);
  }
  const std::uint64_t kept_bytes = writer->position();
  auto stored = Feed(upload, *writer);
  if (stored) {
    if (auto forgotten = upload.Forget(); !forgotten) return forgotten.error();
    return StoredFile{*std::move(stored), kept_bytes, WriteMethod::kOneStream};
  }
  if (auto left = writer->Suspend()) {
    if (auto saved = upload.Save(*left); !saved) return saved.error();
    return stored.error();
  }
  return LeaveSession(upload, stored.error());
}

void DropSession(const FileUpload& upload, const std::string& state) {
  const ClientCore& core = CoreOf(upload.client);
  const auto session = ParseUploadState(state);
  if (!session || session->endpoint != core.endpoint() || !IsSessionUri(session->session_uri, core.endpoint())) return;
  UploadSession(core, *session, {.call = upload.upload().call}).Cancel();
}

}  // namespace gcsflux::internal
