#include "transfer/upload/source_upload.h"

#include "base/call_user_code.h"
#include "base/sha256.h"
#include "client/client_core.h"
#include "transfer/upload/insert_call.h"
#include "wire/insert_requests.h"

namespace gcsflux::internal {
namespace {

Result<void> CallSave(const SourceUpload& upload, const std::string& state) {
  if (!upload.is_resumable()) return {};
  return CallUserCode("save_state", [&]() -> Result<void> {
    upload.options.save_state(state);
    return {};
  });
}

// What the start of a session asks for: object, attributes, precondition and keys.
std::string RequestOf(const SourceUpload& upload) {
  const UploadOptions& options = upload.options;
  const HttpRequest start = StartUploadRequest(CoreOf(upload.client).endpoint(), upload.object, FirstAttempt(options));
  const std::string key = options.encryption_key ? options.encryption_key->sha256() : "";
  return Sha256Hex(start.url + "\n" + start.head + "\n" + key);
}

// The line of a state that tells to which file and which request it belongs.
std::string FingerprintOf(const SourceUpload& upload) { return upload.source.Fingerprint() + " " + RequestOf(upload); }

}  // namespace

Result<void> SourceUpload::Save(const std::string& state) const {
  return CallSave(*this, FingerprintOf(*this) + "\n" + state);
}

Result<void> SourceUpload::Forget() const { return CallSave(*this, {}); }

SavedState StateOf(const SourceUpload& upload) {
  const std::string& saved = upload.options.state;
  const auto line = saved.find('\n');
  if (line == std::string::npos) return {};
  return {saved.substr(line + 1), saved.substr(0, line) == FingerprintOf(upload)};
}

bool KeepsUpload(const Error& error) {
  if (error.outcome == WriteOutcome::kUnknown) return true;
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
