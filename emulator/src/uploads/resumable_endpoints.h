#pragma once

#include "json_api/api_call.h"
#include "store/uploads/pending_object.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/performing-resumable-uploads. Thread-safe.
class ResumableEndpoints {
 public:
  explicit ResumableEndpoints(ResumableSessions& sessions) : sessions_(sessions) {}

  /// Answers with the session's URI, on the host that the client used.
  ApiResult<HttpResponse> Start(const ApiCall& call, PendingObject pending) const;
  /// Bytes for a session, or a question about its state.
  ApiResult<HttpResponse> Put(const ApiCall& call) const;
  ApiResult<HttpResponse> Cancel(const ApiCall& call) const;

 private:
  [[nodiscard]] ApiResult<std::shared_ptr<ResumableSession>> Find(const ApiCall& call) const;
  [[nodiscard]] static ApiResult<HttpResponse> PutInto(const ApiCall& call, ResumableSession& session);

  ResumableSessions& sessions_;
};

}  // namespace gcsflux::emulator
