#pragma once

#include <optional>
#include <string>

#include "identity/identity.h"
#include "server/authorizer.h"
#include "server/bucket_endpoints.h"
#include "server/copy_endpoints.h"
#include "server/cors.h"
#include "server/http_message.h"
#include "server/iam_endpoints.h"
#include "server/metadata_server.h"
#include "server/object_endpoints.h"
#include "server/request_subject.h"
#include "server/resumable_endpoints.h"
#include "server/token_endpoints.h"
#include "server/upload_endpoints.h"
#include "server/xml/xml_service.h"
#include "store/resumable_sessions.h"
#include "store/store.h"

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
  ApiResult<HttpResponse> Dispatch(const ApiCall& call);
  std::optional<HttpResponse> AnswerIdentity(const HttpRequest& request, RequestBody& body, RequestSubject& subject);
  [[nodiscard]] std::string BaseUrl(const HttpRequest& request) const;

  const std::string scheme_;
  const Authorizer authorizer_;
  const Cors cors_;
  std::optional<TokenEndpoints> tokens_;
  std::optional<MetadataServer> metadata_server_;
  IamEndpoints iam_;
  BucketEndpoints buckets_;
  ObjectEndpoints objects_;
  CopyEndpoints copies_;
  ResumableEndpoints resumable_;
  UploadEndpoints uploads_;
  XmlService xml_;
};

}  // namespace gcsflux::emulator
