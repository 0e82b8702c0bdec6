#include "transfer/upload/source_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/client_core.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/stream_writer.h"
#include "transfer/upload/upload_session.h"
#include "wire/resumable_upload.h"
#include "wire/upload_state.h"

namespace gcsflux::internal {
namespace {

// The sent bytes are useless.
Error GiveUp(StreamWriter& writer, const Error& error) {
  writer.Cancel();
  return error;
}

Result<ObjectMetadata> Feed(const SourceUpload& upload, StreamWriter& writer) {
  constexpr std::uint64_t kBlock = 1U << 20;
  const UploadSource& file = upload.source;
  std::vector<std::byte> buffer;
  for (std::uint64_t at = writer.position(); at < file.size(); at = writer.position()) {
    const auto data = file.Read(at, static_cast<std::size_t>(std::min(kBlock, file.size() - at)), buffer);
    if (!data) return GiveUp(writer, data.error());
    if (auto written = writer.Write(*data); !written) return written.error();
  }
  if (auto unchanged = file.CheckUnchanged(); !unchanged) return GiveUp(writer, unchanged.error());
  return writer.Close();
}

Error LeaveSession(const SourceUpload& upload, const Error& error) {
  if (!KeepsUpload(error)) static_cast<void>(upload.Forget());
  return error;
}

// The bytes that an earlier call sent are read again: only their checksum tells that they are still those of the file.
Result<void> CheckPrefix(const SourceUpload& upload, const UploadState& session) {
  if (session.persisted > upload.source.size())
    return Error{ErrorCode::kCorrupted, "the session has more than the file"};
  const auto crc32c = ChecksumOf(upload.source, session.persisted, upload.options.stop);
  if (!crc32c) return crc32c.error();
  if (*crc32c == session.crc32c) return {};
  return Error{ErrorCode::kCorrupted, "the file's bytes are not those that an earlier call sent"};
}

}  // namespace

Result<UploadReport> SendBySession(const SourceUpload& upload) {
  // The state is saved from the beginning, because a killed process cannot save it later.
  auto state = StreamWriter(upload.client, upload.object, upload.options).Suspend();
  if (!state) return state.error();
  if (auto saved = upload.Save(*state); !saved) return saved.error();
  return ContinueSession(upload, *state);
}

Result<UploadReport> ContinueSession(const SourceUpload& upload, const std::string& state) {
  const auto session = ParseUploadState(state);
  if (!session) return LeaveSession(upload, session.error());
  if (auto same = CheckPrefix(upload, *session); !same) {
    if (!KeepsUpload(same.error())) DropSession(upload, state);
    return LeaveSession(upload, InCall(InsertCall(upload.object, upload.options), same.error()));
  }
  auto writer = StreamWriter::Resume(upload.client, state, upload.options);
  if (!writer) {
    Error error = writer.error();
    // An earlier call may have stored it. This call is a separate write, and has stored nothing.
    if (error.code == ErrorCode::kOutcomeUnknown) {
      error.code = ErrorCode::kSessionLost;
      error.outcome = WriteOutcome::kNotStored;
    }
    return LeaveSession(upload, error);
  }
  const std::uint64_t kept_bytes = (*writer)->position();
  auto stored = Feed(upload, **writer);
  if (stored) {
    if (auto forgotten = upload.Forget(); !forgotten) return forgotten.error();
    return UploadReport{*std::move(stored), kept_bytes, WritePath::kOneStream};
  }
  if (auto left = (*writer)->Suspend()) {
    if (auto saved = upload.Save(*left); !saved) return saved.error();
    return stored.error();
  }
  return LeaveSession(upload, stored.error());
}

void DropSession(const SourceUpload& upload, const std::string& state) {
  const ClientCore& core = CoreOf(upload.client);
  const auto session = ParseUploadState(state);
  if (!session || session->endpoint != core.endpoint() || !IsSessionUri(session->session_uri, core.endpoint())) return;
  UploadSession(core, *session, {.call = upload.options.call}).Cancel();
}

}  // namespace gcsflux::internal
