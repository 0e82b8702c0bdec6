#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/authorizer.h"
#include "http/http_message.h"
#include "identity/hmac_keys.h"
#include "identity/identity.h"
#include "identity_api/metadata_server.h"
#include "identity_api/token_endpoints.h"
#include "json_api/standard_parameters.h"
#include "operations/operation.h"
#include "operations/request_subject.h"
#include "service/cors.h"
#include "service/json_endpoints.h"
#include "store/buckets/store.h"
#include "store/lifecycle/lifecycle.h"
#include "store/uploads/resumable_sessions.h"
#include "xml_api/xml_service.h"

namespace gcsflux::emulator {

/// The operation of requests for tokens.
inline constexpr std::string_view kTokenOperation = "oauth2.token";

/// The scheme of a service's URLs, and who may use it.
struct ServiceAccess {
  std::string scheme = "http";
  Identity* identity = nullptr;      ///< The identities whose endpoints are served. If null, none are served.
  HmacKeys* hmac_keys = nullptr;     ///< Of all projects; never null.
  const Machine* machine = nullptr;  ///< What the metadata server describes; never null.
  bool is_required = false;          ///< Requests need credentials and permissions. Requires an identity.
  std::string default_project =
      {};  ///< The project of a request for a project's buckets that names none. If empty, such requests are refused.
};

/// Google Cloud Storage as a function of HTTP requests. Thread-safe.
class Service final {
 public:
  Service(Store& store, ResumableSessions& sessions, const ServiceAccess& access);

  /// Never throws: an internal failure is a 500 in GCS's own form. Says in `subject` what the request was about.
  HttpResponse Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject);

  /// Who sends the request: "" without credentials, or if none are checked. Nothing if the credentials are not valid.
  [[nodiscard]] std::optional<std::string> CallerOf(const HttpRequest& request) const;

 private:
  HttpResponse AnswerAny(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  std::optional<HttpResponse> AnswerIdentity(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  [[nodiscard]] ApiResult<bool> ShowsAcls(const Caller& caller, const Operation& operation,
                                          const StandardParameters& parameters, const ObjectPlace& place) const;
  [[nodiscard]] std::string BaseUrl(const HttpRequest& request) const;

  const std::string scheme_;
  const Store& store_;
  Lifecycle lifecycle_;
  const Authorizer authorizer_;
  const Cors cors_;
  std::optional<TokenEndpoints> tokens_;
  MetadataServer metadata_server_;
  JsonEndpoints json_;
  XmlService xml_;
};

}  // namespace gcsflux::emulator
