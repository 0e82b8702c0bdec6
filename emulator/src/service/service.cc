#include "service/service.h"

#include <exception>
#include <utility>

#include "http/json_error.h"
#include "http/which_api.h"
#include "json_api/needed_permissions.h"
#include "json_api/operation_name.h"
#include "json_api/standard_parameters.h"

namespace gcsflux::emulator {

Service::Service(Store& store, ResumableSessions& sessions, const ServiceAccess& access)
    : scheme_(access.scheme),
      authorizer_(access.is_required ? access.identity : nullptr, store),
      cors_(store),
      iam_(store),
      buckets_(store, access.default_project),
      objects_(store),
      copies_(store),
      resumable_(sessions),
      uploads_(store, resumable_),
      xml_(store, authorizer_) {
  if (access.identity == nullptr) return;
  tokens_.emplace(*access.identity);
  metadata_server_.emplace(*access.identity);
}

HttpResponse Service::Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  try {
    if (auto response = cors_.AnswerPreflight(request, subject)) return *std::move(response);
    HttpResponse response = AnswerAny(request, body, subject);
    cors_.AddHeaders(request, subject, response);
    return response;
  } catch (const std::exception&) {  // out of memory, say; the text would tell a client nothing
    return ErrorResponse(ApiError{500, "backendError", "Internal error encountered."});
  }
}

HttpResponse Service::AnswerAny(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  if (auto response = AnswerIdentity(request, body, subject)) return *std::move(response);
  if (IsXmlRequest(request)) return xml_.Handle(request, body, BaseUrl(request), subject);
  ApiResult<HttpResponse> response = Answer(request, body, subject);
  if (response) return *std::move(response);
  HttpResponse refusal = ErrorResponse(response.error());
  AddChallenge(refusal);
  return refusal;
}

ApiResult<HttpResponse> Service::Answer(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return tl::unexpected(target.error());
  ApiResult<Route> route = FindRoute(request.method, *target);
  if (!route) {
    auto unserved = FindUnservedMethod(request.method, target->segments);
    if (!unserved) return tl::unexpected(route.error());
    subject = {
        .operation = unserved->name, .bucket = std::move(unserved->bucket), .object = std::move(unserved->object)};
    return tl::unexpected(
        ApiError{501, "notImplemented", "The emulator does not serve " + std::string(unserved->name) + "."});
  }
  subject = {.operation = OperationName(route->operation), .bucket = route->bucket, .object = route->object};
  ApiResult<StandardParameters> parameters = ReadStandardParameters(route->operation, target->query);
  if (!parameters) return tl::unexpected(parameters.error());
  std::string base_url = BaseUrl(request);
  ApiResult<Caller> caller = authorizer_.Identify(request.headers, base_url);
  if (!caller) return tl::unexpected(caller.error());
  auto allowed = authorizer_.Check(*caller, PermissionsFor(route->operation), route->bucket, route->object);
  if (!allowed) return tl::unexpected(allowed.error());
  return Dispatch(ApiCall{.request = request,
                          .body = body,
                          .subject = subject,
                          .route = *std::move(route),
                          .query = std::move(target->query),
                          .fields = std::move(parameters->fields),
                          .shows_acl = parameters->shows_acl,
                          .base_url = std::move(base_url),
                          .caller = *std::move(caller)});
}

std::optional<HttpResponse> Service::AnswerIdentity(const HttpRequest& request, RequestBody& body,
                                                    RequestSubject& subject) {
  if (!tokens_) return std::nullopt;
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return std::nullopt;
  if (auto response = tokens_->Answer(request, body, *target, BaseUrl(request))) {
    subject.operation = "oauth2.token";
    return response;
  }
  auto response = metadata_server_->Answer(request, *target);
  if (response) subject.operation = "computeMetadata.get";
  return response;
}

std::string Service::BaseUrl(const HttpRequest& request) const {
  const std::string* host = request.headers.Find("host");
  return scheme_ + "://" + (host != nullptr ? *host : std::string("storage.googleapis.com"));
}

ApiResult<HttpResponse> Service::Dispatch(const ApiCall& call) {
  switch (call.route.operation) {
    case Operation::kListBuckets: return buckets_.List(call);
    case Operation::kInsertBucket: return buckets_.Insert(call);
    case Operation::kGetBucket: return buckets_.Get(call);
    case Operation::kPatchBucket: return buckets_.Patch(call);
    case Operation::kUpdateBucket: return buckets_.Update(call);
    case Operation::kDeleteBucket: return buckets_.Delete(call);
    case Operation::kGetStorageLayout: return buckets_.GetStorageLayout(call);
    case Operation::kListManagedFolders: return buckets_.ListManagedFolders(call);
    case Operation::kListFolders: return buckets_.ListFolders(call);
    case Operation::kTestBucketPermissions: return iam_.TestBucketPermissions(call);
    case Operation::kListObjects: return objects_.List(call);
    case Operation::kGetObject: return objects_.Get(call);
    case Operation::kDownloadObject: return objects_.Download(call);
    case Operation::kPatchObject: return objects_.Patch(call);
    case Operation::kDeleteObject: return objects_.Delete(call);
    case Operation::kUpdateObject: return objects_.Update(call);
    case Operation::kCopyObject: return copies_.Copy(call);
    case Operation::kRewriteObject: return copies_.Rewrite(call);
    case Operation::kMoveObject: return copies_.Move(call);
    case Operation::kComposeObject: return objects_.Compose(call);
    case Operation::kInsertObject: return uploads_.Insert(call);
    case Operation::kUploadChunk: return resumable_.Put(call);
    case Operation::kCancelUpload: return resumable_.Cancel(call);
  }
  return tl::unexpected(ApiError{404, "notFound", "Not Found"});
}

}  // namespace gcsflux::emulator
