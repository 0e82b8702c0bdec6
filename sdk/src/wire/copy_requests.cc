#include "wire/copy_requests.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "wire/key_headers.h"
#include "wire/object_resource.h"
#include "wire/request_url.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

RequestUrl WithSourceConditions(RequestUrl url, const Preconditions& of_source) {
  return std::move(url)
      .Query("ifSourceGenerationMatch", of_source.if_generation_match)
      .Query("ifSourceGenerationNotMatch", of_source.if_generation_not_match)
      .Query("ifSourceMetagenerationMatch", of_source.if_metageneration_match)
      .Query("ifSourceMetagenerationNotMatch", of_source.if_metageneration_not_match);
}

// The common part of copy and rewrite.
RequestUrl CopyUrl(std::string_view endpoint, const ObjectName& source, const char* verb, const ObjectName& destination,
                   const CopyObjectOptions& options) {
  auto url = RequestUrl::OfObject(endpoint, source)
                 .Literal(verb)
                 .Literal("/b")
                 .Segment(destination.bucket)
                 .Literal("/o")
                 .Segment(destination.name)
                 .Query("sourceGeneration", options.source_generation);
  return WithSourceConditions(std::move(url), options.source_preconditions)
      .Query(options.preconditions)
      .Query("destinationKmsKeyName", options.kms_key_name.value_or(""))
      .Query(options.call);
}

HttpRequest CopyRequest(std::string url, const CopyObjectOptions& options) {
  HttpRequest request =
      JsonRequest(Method::kPost, std::move(url), options.attributes ? ToJson(*options.attributes) : Json::object());
  AddSourceKey(request, options.source_encryption_key);
  AddKey(request, options.encryption_key);
  return request;
}

}  // namespace

HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options) {
  Json body = {{"kind", "storage#composeRequest"}, {"sourceObjects", Json::array()}};
  for (const ComposeSource& source : sources) {
    Json entry = {{"name", source.name}};
    if (source.generation) entry["generation"] = std::to_string(*source.generation);
    if (source.if_generation_match) {
      entry["objectPreconditions"] = {{"ifGenerationMatch", std::to_string(*source.if_generation_match)}};
    }
    body["sourceObjects"].push_back(std::move(entry));
  }
  if (options.delete_source_objects) body["deleteSourceObjects"] = true;
  body["destination"] = ToJson(options.attributes);
  body["destination"]["name"] = destination.name;
  HttpRequest request = JsonRequest(Method::kPost,
                                    *RequestUrl::OfObject(endpoint, destination)
                                         .Literal("/compose")
                                         .Query("fields", ObjectFields(options.fields))
                                         .Query(options.preconditions)
                                         .Query("kmsKeyName", options.kms_key_name.value_or(""))
                                         .Query(options.call),
                                    body);
  AddKey(request, options.encryption_key);
  return request;
}

HttpRequest CopyObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                              const CopyObjectOptions& options) {
  auto url = CopyUrl(endpoint, source, "/copyTo", destination, options);
  return CopyRequest(*std::move(url).Query("fields", ObjectFields(options.fields)), options);
}

HttpRequest MoveObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                              const CopyObjectOptions& options) {
  auto url = RequestUrl::OfObject(endpoint, source).Literal("/moveTo/o").Segment(destination.name);
  return {.method = Method::kPost,
          .url = *WithSourceConditions(std::move(url), options.source_preconditions)
                      .Query(options.preconditions)
                      .Query("fields", ObjectFields(options.fields))
                      .Query(options.call)};
}

HttpRequest RewriteObjectRequest(std::string_view endpoint, const ObjectName& source, const ObjectName& destination,
                                 const CopyObjectOptions& options, std::string_view rewrite_token) {
  const std::string fields =
      "done,objectSize,rewriteToken,totalBytesRewritten,resource(" + ObjectFields(options.fields) + ")";
  auto url = CopyUrl(endpoint, source, "/rewriteTo", destination, options);
  return CopyRequest(*std::move(url)
                          .Query("maxBytesRewrittenPerCall", options.max_bytes_per_request)
                          .Query("rewriteToken", rewrite_token)
                          .Query("fields", fields),
                     options);
}

}  // namespace gcsflux::internal
