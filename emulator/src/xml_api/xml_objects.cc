#include "xml_api/xml_objects.h"

#include <string>
#include <utility>

#include "api/encryption_headers.h"
#include "api/media_response.h"
#include "api/upload_hashes.h"
#include "http/hash_text.h"
#include "store/objects/customer_key.h"
#include "xml_api/http_conditions.h"
#include "xml_api/xml_copy.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {
namespace {

XmlResult<ObjectSelector> ReadSelector(const XmlCall& call) {
  const auto generation = ReadGeneration(call.query);
  const XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!generation) return tl::unexpected(generation.error());
  if (!preconditions) return tl::unexpected(preconditions.error());
  return ObjectSelector{call.route.object, *generation, *preconditions};
}

// Like the JSON API's answer to alt=media, except for the entity tag, the metadata, and the parameters that override a
// header.
HttpResponse WithXmlHeaders(const XmlCall& call, const Object& object, HttpResponse media) {
  HttpResponse response{.status = media.status, .body = std::move(media.body)};
  const std::string type = call.query.Value("response-content-type");
  const std::string disposition = call.query.Value("response-content-disposition");
  for (const auto& [name, value] : media.headers.fields()) {
    const bool is_overridden = (name == "Content-Type" && !type.empty()) ||
                               (name == "Content-Disposition" && !disposition.empty()) || name == "ETag";
    if (!is_overridden && !name.starts_with("x-goog-meta-")) response.headers.Add(name, value);
  }
  if (!type.empty()) response.headers.Add("Content-Type", type);
  if (!disposition.empty()) response.headers.Add("Content-Disposition", disposition);
  response.headers.Add("ETag", XmlEtag(object));
  if (object.component_count != 0) {
    response.headers.Add("X-Goog-Component-Count", std::to_string(object.component_count));
  }
  for (const auto& [key, value] : object.attributes->metadata) response.headers.Add("x-goog-meta-" + key, value);
  return response;
}

}  // namespace

XmlResult<std::shared_ptr<Bucket>> FindXmlBucket(const Store& store, const XmlCall& call) {
  auto bucket = store.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToXmlError(bucket.error(), XmlErrorCode::kNoSuchBucket));
  return *std::move(bucket);
}

void AddStateHeaders(HttpHeaders& headers, const Object& object) {
  const std::string& encoding = object.attributes->content_encoding;
  headers.Add("ETag", XmlEtag(object));
  headers.Add("X-Goog-Generation", std::to_string(object.generation));
  headers.Add("X-Goog-Metageneration", std::to_string(object.metageneration));
  headers.Add("X-Goog-Hash", "crc32c=" + EncodeCrc32c(object.body->crc32c()));
  if (HasMd5(object)) headers.Add("X-Goog-Hash", "md5=" + EncodeMd5(object.body->md5()));
  headers.Add("X-Goog-Stored-Content-Encoding", encoding.empty() ? "identity" : encoding);
  headers.Add("X-Goog-Stored-Content-Length", std::to_string(object.body->size()));
  AddEncryptionHeaders(headers, object);
}

XmlResult<HttpResponse> XmlObjects::Get(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const XmlResult<ObjectSelector> selector = ReadSelector(call);
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<ObjectPtr> object = (*bucket)->GetObject(*selector);
  if (!object) return tl::unexpected(ToObjectError(call, object.error()));
  const ApiResult<std::string> key = ReadCustomerKey(call.request.headers);
  if (!key) return tl::unexpected(ToXmlError(key.error()));
  if (auto checked = CheckCustomerKey(**object, *key); !checked)
    return tl::unexpected(ToObjectError(call, checked.error()));
  const auto held = CheckHttpConditions(call, kReadConditions, **object);
  if (!held && held.error().code == XmlErrorCode::kNotModified) {
    // RFC 9110, section 15.4.5: with the ETag that a 200 would have.
    HttpResponse unchanged = XmlErrorResponse(held.error());
    unchanged.headers.Add("ETag", XmlEtag(**object));
    return unchanged;
  }
  if (!held) return tl::unexpected(held.error());
  HttpResponse media = MediaResponse(**object, call.request.headers, XmlEtag(**object), call.subject);
  if (media.status == 416) {
    HttpResponse refusal = XmlErrorResponse({XmlErrorCode::kInvalidRange, HeaderValue(call, "range")});
    refusal.headers.Add("Content-Range", "bytes */" + std::to_string((*object)->body->size()));
    return refusal;
  }
  return WithXmlHeaders(call, **object, std::move(media));
}

XmlResult<HttpResponse> XmlObjects::Put(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto named = CheckName(call); !named) return tl::unexpected(named.error());
  const XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  XmlResult<ObjectAttributes> attributes = ReadAttributes(call);
  if (!attributes) return tl::unexpected(attributes.error());
  XmlResult<ObjectEncryption> encryption = ReadEncryption(call);
  if (!encryption) return tl::unexpected(encryption.error());
  const bool may_replace = call.caller.MayReplace(call.route.bucket);
  if (call.request.headers.Find("x-goog-copy-source") != nullptr) {
    NewObject copy{.name = call.route.object,
                   .attributes = *std::move(attributes),
                   .encryption = *std::move(encryption),
                   .may_replace = may_replace};
    return CopyXmlObject(store_, call, **bucket, *preconditions, std::move(copy));
  }
  if (call.body.announced_size().value_or(0) > kMaxObjectSize) return XmlFail(XmlErrorCode::kEntityTooLarge);
  // Requests that must fail are refused before their bytes arrive.
  const Outcome<void> checked = (*bucket)->CheckInsert(call.route.object, *preconditions, may_replace);
  if (!checked) return tl::unexpected(ToObjectError(call, checked.error()));
  XmlResult<BodyPtr> body = ReceiveCheckedBody(call);
  if (!body) return tl::unexpected(body.error());
  if (attributes->content_type.empty()) attributes->content_type = "application/octet-stream";
  if (auto access = SettleXmlAcl(call, *(*bucket)->info(), *attributes); !access) {
    return tl::unexpected(access.error());
  }
  const Outcome<ObjectPtr> stored = (*bucket)->InsertObject({.name = call.route.object,
                                                             .attributes = *std::move(attributes),
                                                             .body = *std::move(body),
                                                             .encryption = *std::move(encryption),
                                                             .may_replace = may_replace},
                                                            *preconditions);
  if (!stored) return tl::unexpected(ToObjectError(call, stored.error()));
  call.subject.committed_generation = (*stored)->generation;
  HttpResponse response;
  AddStateHeaders(response.headers, **stored);
  return response;
}

XmlResult<HttpResponse> XmlObjects::Delete(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const XmlResult<ObjectSelector> selector = ReadSelector(call);
  if (!selector) return tl::unexpected(selector.error());
  const Outcome<void> deleted = (*bucket)->DeleteObject(*selector);
  if (!deleted) return tl::unexpected(ToObjectError(call, deleted.error()));
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
