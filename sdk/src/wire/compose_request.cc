#include "wire/compose_request.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "wire/object_resource.h"
#include "wire/request_url.h"

namespace gcsflux::internal {

HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options) {
  using Json = nlohmann::json;
  Json body = {{"kind", "storage#composeRequest"}, {"sourceObjects", Json::array()}};
  for (const ComposeSource& source : sources) {
    Json entry = {{"name", source.name}};
    if (source.generation) entry["generation"] = std::to_string(*source.generation);
    if (source.if_generation_match) {
      entry["objectPreconditions"] = {{"ifGenerationMatch", std::to_string(*source.if_generation_match)}};
    }
    body["sourceObjects"].push_back(std::move(entry));
  }
  body["destination"] = ToJson(options.attributes);
  body["destination"]["name"] = destination.name;
  return JsonRequest(Method::kPost,
                     *RequestUrl::OfObject(endpoint, destination)
                          .Literal("/compose")
                          .Query("fields", kObjectFields)
                          .Query(options.preconditions)
                          .Query(options.call),
                     body);
}

}  // namespace gcsflux::internal
