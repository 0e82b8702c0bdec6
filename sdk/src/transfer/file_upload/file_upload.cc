#include "transfer/file_upload/file_upload.h"

#include "base/call_user_code.h"

namespace gcsflux::internal {
namespace {

Result<void> CallSave(const FileUpload& upload, const std::string& state) {
  if (!upload.is_resumable()) return {};
  return CallUserCode("save_state", [&]() -> Result<void> {
    upload.options.save_state(state);
    return {};
  });
}

}  // namespace

Result<void> FileUpload::Save(const std::string& state) const {
  return CallSave(*this, file.Fingerprint() + "\n" + state);
}

Result<void> FileUpload::Forget() const { return CallSave(*this, {}); }

SavedState StateOf(const FileUpload& upload) {
  const std::string& saved = upload.options.state;
  const auto line = saved.find('\n');
  if (line == std::string::npos) return {};
  return {saved.substr(line + 1), saved.substr(0, line) == upload.file.Fingerprint()};
}

bool KeepsUpload(const Error& error) {
  switch (error.code) {
    case ErrorCode::kCancelled:
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnreachable:
    case ErrorCode::kRateLimited:
    case ErrorCode::kTruncated:
    case ErrorCode::kTokenUnavailable:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kProxyFailed:
    case ErrorCode::kTlsFailed: return true;
    default: return false;
  }
}

}  // namespace gcsflux::internal
