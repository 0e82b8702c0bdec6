#include "uploads/upload_endpoints.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "api/authorizer.h"
#include "api/encryption_headers.h"
#include "api/object_access.h"
#include "bodies/multipart.h"
#include "bodies/peeked_body.h"
#include "bodies/receive_body.h"
#include "bodies/receive_multipart.h"
#include "json_api/resource_requests.h"
#include "store/bytes/body.h"
#include "store/objects/names.h"
#include "uploads/commit_upload.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMostHeads = std::size_t{16} << 10;
constexpr std::uint64_t kMostFraming = std::uint64_t{2} << 20;  // of a multipart body: its first part and its heads

// objects.insert: the query's name overrides the metadata's.
ApiResult<std::string> SettleName(const QueryParameters& query, const std::optional<std::string>& in_resource) {
  const std::string* in_query = query.Find("name");
  if (in_query == nullptr && !in_resource) return tl::unexpected(MissingParameter("name"));
  std::string name = in_query != nullptr ? *in_query : *in_resource;
  if (auto valid = CheckObjectName(name); !valid) return tl::unexpected(ToApiError(valid.error()));
  return name;
}

ApiResult<void> Describe(const ApiCall& call, ObjectResource resource, PendingObject& pending) {
  ApiResult<std::string> name = SettleName(call.query, resource.name);
  if (!name) return tl::unexpected(name.error());
  if (auto allowed = RequireReplace(call.caller, *pending.bucket, *name); !allowed) return allowed;
  ApiResult<ObjectEncryption> encryption = ReadEncryption(call.request.headers, call.query.Value("kmsKeyName"));
  if (!encryption) return tl::unexpected(encryption.error());
  pending.encryption = *std::move(encryption);
  pending.name = *std::move(name);
  pending.attributes = std::move(resource.attributes);
  pending.hashes = resource.hashes;
  pending.may_replace = call.caller.MayReplace(call.route.bucket);
  const std::string encoding = call.query.Value("contentEncoding");
  if (!encoding.empty()) pending.attributes.content_encoding = encoding;
  return SettleNewObjectAcl(call.caller, *pending.bucket->info(), call.query.Value("predefinedAcl"),
                            pending.attributes);
}

std::string HeaderValue(const ApiCall& call, std::string_view name) {
  const std::string* value = call.request.headers.Find(name);
  return value != nullptr ? *value : std::string();
}

ApiResult<void> CheckAnnouncedSize(const ApiCall& call) {
  if (call.body.announced_size().value_or(0) <= kMaxObjectSize + kMostFraming) return {};
  return tl::unexpected(UploadTooLarge());
}

// Refuses requests that must fail, before their bytes arrive.
ApiResult<void> CheckBeforeBytes(const PendingObject& pending) {
  const Outcome<void> checked = pending.bucket->CheckInsert(pending.name, pending.preconditions, pending.may_replace);
  return checked ? ApiResult<void>() : tl::unexpected(ToApiError(checked.error()));
}

ApiResult<HttpResponse> Store(const ApiCall& call, PendingObject pending, BodyPtr body) {
  const ApiResult<ObjectPtr> stored = CommitUpload(call, std::move(pending), std::move(body));
  if (!stored) return tl::unexpected(stored.error());
  return ObjectResponse(call, **stored);
}

ApiResult<HttpResponse> InsertMedia(const ApiCall& call, PendingObject pending) {
  ObjectResource resource;
  resource.attributes.content_type = HeaderValue(call, "content-type");
  resource.attributes.content_encoding = HeaderValue(call, "content-encoding");  // the bytes are stored as they arrive
  if (auto done = Describe(call, std::move(resource), pending); !done) return tl::unexpected(done.error());
  if (auto passed = CheckAnnouncedSize(call); !passed) return tl::unexpected(passed.error());
  if (auto passed = CheckBeforeBytes(pending); !passed) return tl::unexpected(passed.error());
  BodyPtr body = ReceiveObject(call.body, NeedsMd5(call, pending));
  if (body == nullptr) return tl::unexpected(BrokenOff(call.body));
  return Store(call, std::move(pending), std::move(body));
}

// What the metadata alone decides, if more bytes follow than are read at once.
ApiResult<void> CheckBeforeMedia(const ApiCall& call, PeekedBody& body, PendingObject pending) {
  const bool may_be_refused = call.caller.is_checked() || pending.preconditions != Preconditions();
  if (!may_be_refused || body.announced_size().value_or(UINT64_MAX) <= kMostHeads) return {};
  const auto start = FindMedia(HeaderValue(call, "content-type"), Rope(body.Peek(kMostHeads)));
  ApiResult<ObjectResource> resource = start ? ParseObjectResource(start->metadata) : ObjectResource();
  if (!start || !resource) return {};  // that is reported when everything has arrived
  if (auto done = Describe(call, *std::move(resource), pending); !done) return done;
  return CheckBeforeBytes(pending);
}

ApiResult<HttpResponse> InsertMultipart(const ApiCall& call, PendingObject pending) {
  PeekedBody body(call.body);
  if (auto passed = CheckAnnouncedSize(call); !passed) return tl::unexpected(passed.error());
  if (auto passed = CheckBeforeMedia(call, body, pending); !passed) return tl::unexpected(passed.error());
  ApiResult<ReceivedMultipart> parts =
      ReceiveMultipart(body, HeaderValue(call, "content-type"), NeedsMd5(call, pending));
  if (!parts) return tl::unexpected(parts.error());
  ApiResult<ObjectResource> resource = ParseObjectResource(parts->metadata);
  if (!resource) return tl::unexpected(resource.error());
  if (resource->attributes.content_type.empty()) resource->attributes.content_type = parts->media_content_type;
  if (auto done = Describe(call, *std::move(resource), pending); !done) return tl::unexpected(done.error());
  return Store(call, std::move(pending), std::move(parts->media));
}

ApiResult<PendingObject> ReadSessionStart(const ApiCall& call, PendingObject pending) {
  const ApiResult<std::string> text = ReceiveText(call.body);
  if (!text) return tl::unexpected(text.error());
  ApiResult<ObjectResource> resource = ParseObjectResource(*text);
  if (!resource) return tl::unexpected(resource.error());
  std::string& type = resource->attributes.content_type;
  if (type.empty()) type = HeaderValue(call, "x-upload-content-type");
  if (auto done = Describe(call, *std::move(resource), pending); !done) return tl::unexpected(done.error());
  return pending;
}

}  // namespace

ApiResult<HttpResponse> UploadEndpoints::Insert(const ApiCall& call) const {
  auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const ApiResult<Preconditions> preconditions = ReadPreconditions(call.query);
  if (!preconditions) return tl::unexpected(preconditions.error());
  PendingObject pending{.bucket = *std::move(bucket), .preconditions = *preconditions};
  const std::string type = call.query.Value("uploadType");
  if (type == "media") return InsertMedia(call, std::move(pending));
  if (type == "multipart") return InsertMultipart(call, std::move(pending));
  if (type != "resumable") return tl::unexpected(BadParameter("Invalid value '" + type + "' for uploadType."));
  ApiResult<PendingObject> described = ReadSessionStart(call, std::move(pending));
  if (!described) return tl::unexpected(described.error());
  return resumable_.Start(call, *std::move(described));
}

}  // namespace gcsflux::emulator
