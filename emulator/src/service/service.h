#pragma once

#include <optional>
#include <string>

#include "api/authorizer.h"
#include "http/http_message.h"
#include "identity/identity.h"
#include "identity_api/metadata_server.h"
#include "identity_api/token_endpoints.h"
#include "operations/request_subject.h"
#include "service/cors.h"
#include "service/json_endpoints.h"
#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"
#include "xml_api/xml_service.h"

namespace gcsflux::emulator {

/// How a service is reached, and by whom.
struct ServiceAccess {
  std::string scheme = "http";
  Identity* identity = nullptr;      ///< Whose endpoints are served; null serves none.
  bool is_required = false;          ///< Requests need credentials and permissions; takes an identity.
  std::string default_project = {};  ///< Of requests for a project's buckets that name none; empty refuses them.
};

/// Google Cloud Storage as a function of HTTP requests. Thread-safe.
class Service final {
 public:
  Service(Store& store, ResumableSessions& sessions, const ServiceAccess& access);

  /// Never throws: what goes wrong in here is a 500 in GCS's own shape. Says in `subject` what the request was about.
  HttpResponse Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject);

 private:
  HttpResponse AnswerAny(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  ApiResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  std::optional<HttpResponse> AnswerIdentity(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  [[nodiscard]] std::string BaseUrl(const HttpRequest& request) const;

  const std::string scheme_;
  const Authorizer authorizer_;
  const Cors cors_;
  std::optional<TokenEndpoints> tokens_;
  std::optional<MetadataServer> metadata_server_;
  JsonEndpoints json_;
  XmlService xml_;
};

}  // namespace gcsflux::emulator
