#include "json_api/api_call.h"

#include <algorithm>
#include <utility>

#include "api/encryption_headers.h"
#include "api/object_etag.h"
#include "json/json_writer.h"
#include "json_api/resource_json.h"

namespace gcsflux::emulator {
namespace {

constexpr std::int64_t kDefaultResults = 1000;
// Documented as 1000. The service has been seen to give Google's own connectors pages of 5000.
constexpr std::int64_t kMaxResults = 5000;

// The four conditions whose names begin with `prefix`.
ApiResult<Preconditions> ReadConditions(const QueryParameters& query, const std::string& prefix) {
  Preconditions preconditions;
  for (const auto& [name, condition] :
       {std::pair("GenerationMatch", &preconditions.if_generation_match),
        std::pair("GenerationNotMatch", &preconditions.if_generation_not_match),
        std::pair("MetagenerationMatch", &preconditions.if_metageneration_match),
        std::pair("MetagenerationNotMatch", &preconditions.if_metageneration_not_match)}) {
    const auto value = Int64Parameter(query, prefix + name);
    if (!value) return tl::unexpected(value.error());
    *condition = *value;
  }
  return preconditions;
}

}  // namespace

ApiResult<Preconditions> ReadPreconditions(const QueryParameters& query) { return ReadConditions(query, "if"); }

ApiResult<Preconditions> ReadSourcePreconditions(const QueryParameters& query) {
  return ReadConditions(query, "ifSource");
}

ApiResult<std::size_t> ReadMaxResults(const QueryParameters& query) {
  if (query.Value("maxResults").empty()) return static_cast<std::size_t>(kDefaultResults);  // some clients send it so
  const auto value = Int64Parameter(query, "maxResults");
  if (!value) return tl::unexpected(value.error());
  const std::int64_t results = value->value_or(kDefaultResults);
  if (results < 1) {
    return tl::unexpected(BadParameter("Invalid value '" + std::to_string(results) + "' for maxResults."));
  }
  return static_cast<std::size_t>(std::min(results, kMaxResults));
}

void WriteObject(JsonWriter& json, const ApiCall& call, const FieldMask& mask, const Object& object, bool has_key) {
  const ObjectView view{.object = object,
                        .bucket = call.route.bucket,
                        .base_url = call.base_url,
                        .has_key = has_key || ShowsKeyOf(object, call.request.headers)};
  ObjectRenderer(mask, call.shows_acl).Write(json, view);
}

HttpResponse ObjectResponse(const ApiCall& call, const Object& object, bool has_key) {
  JsonWriter json;
  WriteObject(json, call, call.fields, object, has_key);
  HttpResponse response = JsonResponse(json.Take());
  response.headers.Add("ETag", ObjectEtag(object));
  return response;
}

}  // namespace gcsflux::emulator
