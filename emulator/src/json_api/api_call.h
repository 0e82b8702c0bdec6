#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/caller.h"
#include "http/api_error.h"
#include "http/http_message.h"
#include "http/json_response.h"
#include "http/parameters.h"
#include "http/target.h"
#include "json/json_writer.h"
#include "json_api/field_mask.h"
#include "json_api/router.h"
#include "operations/request_subject.h"
#include "store/buckets/preconditions.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// One request, with everything that all operations read in the same way.
struct ApiCall {
  const HttpRequest& request;
  RequestBody& body;
  RequestSubject& subject;
  Route route;
  QueryParameters query;
  FieldMask fields;
  bool shows_acl;        ///< `projection=full`
  std::string base_url;  ///< "http://HOST:PORT", the client's name for the emulator.
  Caller caller = {};
};

/// ifGenerationMatch and its three siblings.
ApiResult<Preconditions> ReadPreconditions(const QueryParameters& query);

/// ifSourceGenerationMatch and its three siblings.
ApiResult<Preconditions> ReadSourcePreconditions(const QueryParameters& query);

/// `maxResults`, between 1 and GCS's limit. If the client does not send it, the limit.
ApiResult<std::size_t> ReadMaxResults(const QueryParameters& query);

/// Writes the object's resource, with the fields of `mask`. An object under a customer-supplied key shows its hashes to
/// a request that has the key, or if `has_key` says that an earlier request of the same upload had it.
void WriteObject(JsonWriter& json, const ApiCall& call, const FieldMask& mask, const Object& object,
                 bool has_key = false);

/// The object's resource, as `fields` asks for it.
HttpResponse ObjectResponse(const ApiCall& call, const Object& object, bool has_key = false);

}  // namespace gcsflux::emulator
