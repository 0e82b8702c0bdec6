#include "server/upload_endpoints.h"

#include <memory>
#include <string>
#include <utility>

#include "server/multipart.h"
#include "server/receive_body.h"
#include "server/resource_requests.h"
#include "server/upload_hashes.h"
#include "store/body.h"
#include "store/names.h"

namespace gcsflux::emulator {

// What an upload will become, before its bytes are there.
struct UploadEndpoints::Upload {
  std::shared_ptr<Bucket> bucket = {};
  ObjectResource resource = {};
  Preconditions preconditions = {};
};

namespace {

// The body's metadata and the query may both name the object; they must agree.
ApiResult<void> SettleName(const QueryParameters& query, ObjectResource& resource) {
  const std::string* in_query = query.Find("name");
  if (in_query != nullptr && resource.name && *resource.name != *in_query) {
    return tl::unexpected(BadRequest("Value '" + *resource.name + "' in content does not agree with value '" +
                                     *in_query +
                                     "'. This can happen when a value set through a parameter is inconsistent with a "
                                     "value set in the request."));
  }
  if (in_query != nullptr) resource.name = *in_query;
  if (!resource.name) return tl::unexpected(MissingParameter("name"));
  if (auto valid = CheckObjectName(*resource.name); !valid) return tl::unexpected(ToApiError(valid.error()));
  return {};
}

}  // namespace

ApiResult<HttpResponse> UploadEndpoints::Insert(const ApiCall& call) const {
  auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  Upload upload{.bucket = *std::move(bucket), .preconditions = *preconditions};
  if (const std::string* encoding = call.query.Find("contentEncoding")) {
    upload.resource.attributes.content_encoding = *encoding;
  }
  const std::string type = call.query.Value("uploadType");
  if (type == "media") return InsertMedia(call, std::move(upload));
  if (type == "multipart") return InsertMultipart(call, std::move(upload));
  return tl::unexpected(BadParameter("Invalid value '" + type + "' for uploadType."));
}

ApiResult<HttpResponse> UploadEndpoints::InsertMedia(const ApiCall& call, Upload upload) const {
  if (auto named = SettleName(call.query, upload.resource); !named) return tl::unexpected(named.error());
  const HttpHeaders& headers = call.request.headers;
  if (const std::string* type = headers.Find("content-type")) upload.resource.attributes.content_type = *type;
  if (const std::string* encoding = headers.Find("content-encoding")) {
    upload.resource.attributes.content_encoding = *encoding;  // the bytes are stored as they come
  }
  ApiResult<Rope> bytes = ReceiveWholeBody(call.body);
  if (!bytes) return tl::unexpected(bytes.error());
  return Commit(call, std::move(upload), *std::move(bytes));
}

ApiResult<HttpResponse> UploadEndpoints::InsertMultipart(const ApiCall& call, Upload upload) const {
  const std::string* type = call.request.headers.Find("content-type");
  const ApiResult<Rope> body = ReceiveWholeBody(call.body);
  if (!body) return tl::unexpected(body.error());
  ApiResult<MultipartRelated> parts = ParseMultipartRelated(type != nullptr ? *type : "", *body);
  if (!parts) return tl::unexpected(parts.error());
  ApiResult<ObjectResource> resource = ParseObjectResource(parts->metadata);
  if (!resource) return tl::unexpected(resource.error());
  if (resource->attributes.content_type.empty()) resource->attributes.content_type = parts->media_content_type;
  if (resource->attributes.content_encoding.empty()) {
    resource->attributes.content_encoding = upload.resource.attributes.content_encoding;
  }
  upload.resource = *std::move(resource);
  if (auto named = SettleName(call.query, upload.resource); !named) return tl::unexpected(named.error());
  return Commit(call, std::move(upload), parts->media.Compact());
}

ApiResult<HttpResponse> UploadEndpoints::Commit(const ApiCall& call, Upload upload, Rope bytes) {
  auto hashed = ReadHashHeader(call.request.headers.FindAll("x-goog-hash"), upload.resource.hashes);
  if (!hashed) return tl::unexpected(hashed.error());
  auto body = std::make_shared<const Body>(std::move(bytes));
  if (auto checked = CheckHashes(upload.resource.hashes, *body); !checked) return tl::unexpected(checked.error());
  if (upload.resource.attributes.content_type.empty()) {
    upload.resource.attributes.content_type = "application/octet-stream";
  }
  const Outcome<ObjectPtr> stored = upload.bucket->InsertObject(
      {*std::move(upload.resource.name), std::move(upload.resource.attributes), std::move(body)}, upload.preconditions);
  if (!stored) return tl::unexpected(ToApiError(stored.error()));
  return ObjectResponse(call, **stored);
}

}  // namespace gcsflux::emulator
