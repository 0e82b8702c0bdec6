#include "service/service.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/access_control_list.h"
#include "http/entity_tags.h"
#include "http/json_error.h"
#include "http/parameters.h"
#include "http/which_api.h"
#include "json_api/router.h"
#include "json_api/standard_parameters.h"
#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

// 501 if the query has a parameter that the emulator cannot serve. An empty one, or false, asks for nothing.
ApiResult<void> RefuseParameters(std::string_view refused, const QueryParameters& query) {
  while (!refused.empty()) {
    const std::string_view name = refused.substr(0, refused.find(' '));
    const std::string value = query.Value(name);
    if (!value.empty() && value != "false") {
      return tl::unexpected(
          ApiError{501, "notImplemented", "The emulator does not serve the parameter " + std::string(name) + "."});
    }
    refused.remove_prefix(std::min(name.size() + 1, refused.size()));
  }
  return {};
}

// What a read shows only to those who may see it. Other answers leave it out.
constexpr Permission ToSeeAcls(Answer answer) {
  const bool is_of_bucket = answer == Answer::kBucket || answer == Answer::kBuckets;
  return is_of_bucket ? Permission::kBucketsGetIamPolicy : Permission::kObjectsGetIamPolicy;
}

}  // namespace

Service::Service(Store& store, ResumableSessions& sessions, const ServiceAccess& access)
    : scheme_(access.scheme),
      store_(store),
      lifecycle_(store),
      authorizer_(access.is_required ? access.identity : nullptr, *access.hmac_keys, store),
      cors_(store),
      metadata_server_(access.identity, *access.machine),
      json_(store, sessions, *access.hmac_keys, access.default_project),
      xml_(store, sessions, authorizer_) {
  if (access.identity != nullptr) tokens_.emplace(*access.identity);
}

HttpResponse Service::Handle(const HttpRequest& request, RequestBody& body, RequestSubject& subject) {
  try {
    lifecycle_.CatchUp();
    if (auto response = cors_.AnswerPreflight(request, subject)) return *std::move(response);
    HttpResponse response = AnswerAny(request, body, subject);
    cors_.AddHeaders(request, subject, response);
    return response;
  } catch (const std::exception&) {
    return ErrorResponse(CaughtError());
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
  ApiResult<Route> route = FindRoute(JsonOperations(), request.method, *target);
  if (!route) {
    auto unserved = FindUnservedMethod(request.method, target->segments);
    if (!unserved) return tl::unexpected(route.error());
    subject = {
        .operation = unserved->name, .bucket = std::move(unserved->bucket), .object = std::move(unserved->object)};
    return tl::unexpected(
        ApiError{501, "notImplemented", "The emulator does not serve " + std::string(unserved->name) + "."});
  }
  const JsonOperation& operation = *route->operation;
  subject = {.operation = operation.name, .bucket = route->bucket, .object = route->object};
  const std::string condition = IsChange(operation) ? FindOtherCondition(request.headers) : "";
  if (!condition.empty()) {
    return tl::unexpected(ApiError{
        501, "notImplemented",
        "A change cannot have the condition " + condition + "; use ifGenerationMatch or ifMetagenerationMatch."});
  }
  ApiResult<StandardParameters> parameters = ReadStandardParameters(operation.answer, target->query);
  if (!parameters) return tl::unexpected(parameters.error());
  std::string base_url = BaseUrl(request);
  ApiResult<Caller> caller = authorizer_.Identify(request.headers, base_url);
  if (!caller) return tl::unexpected(caller.error());
  const ObjectPlace place = {route->bucket, route->object,
                             Int64Parameter(target->query, "generation").value_or(std::nullopt)};
  auto allowed = authorizer_.Check(*caller, operation.needs, place);
  if (!allowed) return tl::unexpected(allowed.error());
  if (auto served = RefuseParameters(operation.refuses, target->query); !served) return tl::unexpected(served.error());
  const ApiResult<bool> shows_acl = ShowsAcls(*caller, operation, *parameters, place);
  if (!shows_acl) return tl::unexpected(shows_acl.error());
  const ApiCall call{.request = request,
                     .body = body,
                     .subject = subject,
                     .route = *std::move(route),
                     .query = std::move(target->query),
                     .fields = std::move(parameters->fields),
                     .shows_acl = *shows_acl,
                     .base_url = std::move(base_url),
                     .caller = *std::move(caller)};
  return operation.handler(json_, call);
}

ApiResult<bool> Service::ShowsAcls(const Caller& caller, const Operation& operation,
                                   const StandardParameters& parameters, const ObjectPlace& place) const {
  if (!parameters.shows_acl) return false;
  if (!place.bucket.empty()) {
    const auto bucket = store_.FindBucket(place.bucket);
    if (bucket && HasUniformAccess(*(*bucket)->info())) return false;
  }
  const Permission needed = ToSeeAcls(operation.answer);
  if (IsChange(operation)) return caller.May(needed, place);
  if (auto allowed = caller.Require(needed, place); !allowed) return tl::unexpected(allowed.error());
  return true;
}

std::optional<HttpResponse> Service::AnswerIdentity(const HttpRequest& request, RequestBody& body,
                                                    RequestSubject& subject) {
  if (!tokens_ && !request.target.starts_with("/computeMetadata/")) return std::nullopt;
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return std::nullopt;
  auto token = tokens_ ? tokens_->Answer(request, body, *target, BaseUrl(request)) : std::nullopt;
  if (token) {
    subject.operation = kTokenOperation;
    return token;
  }
  auto response = metadata_server_.Answer(request, *target);
  if (response) subject.operation = "computeMetadata.get";
  return response;
}

std::optional<std::string> Service::CallerOf(const HttpRequest& request) const {
  const ApiResult<Caller> caller = IsXmlRequest(request) ? authorizer_.IdentifySigner(request, BaseUrl(request))
                                                         : authorizer_.Identify(request.headers, BaseUrl(request));
  if (!caller) return std::nullopt;
  return caller->principal() ? caller->principal()->name : std::string();
}

std::string Service::BaseUrl(const HttpRequest& request) const {
  const std::string* host = request.headers.Find("host");
  return scheme_ + "://" + (host != nullptr ? *host : std::string("storage.googleapis.com"));
}

}  // namespace gcsflux::emulator
