#pragma once

#include "identity/hmac_keys.h"
#include "json_api/api_call.h"

namespace gcsflux::emulator {

/// What a project has: HMAC keys and the service account that acts for it.
/// https://cloud.google.com/storage/docs/json_api/v1/projects. Thread-safe.
class ProjectEndpoints {
 public:
  explicit ProjectEndpoints(HmacKeys& keys) : keys_(keys) {}

  ApiResult<HttpResponse> CreateHmacKey(const ApiCall& call) const;
  ApiResult<HttpResponse> GetHmacKey(const ApiCall& call) const;
  ApiResult<HttpResponse> ListHmacKeys(const ApiCall& call) const;
  ApiResult<HttpResponse> UpdateHmacKey(const ApiCall& call) const;
  ApiResult<HttpResponse> DeleteHmacKey(const ApiCall& call) const;
  ApiResult<HttpResponse> GetServiceAccount(const ApiCall& call) const;

 private:
  HmacKeys& keys_;
};

}  // namespace gcsflux::emulator
