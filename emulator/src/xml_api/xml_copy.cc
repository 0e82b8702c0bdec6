#include "xml_api/xml_copy.h"

#include <string>
#include <utility>
#include <vector>

#include "api/encryption_headers.h"
#include "base/time_format.h"
#include "http/target.h"
#include "http/xml_writer.h"
#include "store/objects/customer_key.h"
#include "xml_api/http_conditions.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {
namespace {

struct Source {
  std::string bucket = {};
  ObjectSelector selector = {};
};

// "/bucket/object" or "bucket/object", percent-encoded, with `?versionId=` or not. The generation may be in a header of
// its own.
XmlResult<Source> ReadSource(const XmlCall& call) {
  const std::string header = HeaderValue(call, "x-goog-copy-source");
  const ApiResult<Target> target = ParseTarget(header);
  if (!target || target->segments.size() < 2) return XmlFail(XmlErrorCode::kInvalidArgument, header);
  Source source{.bucket = target->segments[0], .selector = {.name = target->segments[1]}};
  for (std::size_t i = 2; i < target->segments.size(); ++i) source.selector.name += "/" + target->segments[i];

  for (const auto& [name, value] : target->query.all()) {
    if (name != "versionId" && name != "generation") return XmlFail(XmlErrorCode::kInvalidArgument, header);
  }
  const auto version = ReadGeneration(target->query);
  const auto generation = Int64Header(call, "x-goog-copy-source-generation");
  const auto generation_match = Int64Header(call, "x-goog-copy-source-if-generation-match");
  const auto metageneration_match = Int64Header(call, "x-goog-copy-source-if-metageneration-match");
  for (const auto* number : {&version, &generation, &generation_match, &metageneration_match}) {
    if (!*number) return tl::unexpected(number->error());
  }
  if (*version && *generation && **version != **generation) return XmlFail(XmlErrorCode::kInvalidArgument, header);
  source.selector.generation = *version ? *version : *generation;
  source.selector.preconditions = {.if_generation_match = *generation_match,
                                   .if_metageneration_match = *metageneration_match};
  return source;
}

XmlResult<ObjectAttributes> SettleAttributes(const XmlCall& call, const Object& source, ObjectAttributes given) {
  const std::string directive = HeaderValue(call, "x-goog-metadata-directive");
  if (directive == "REPLACE") return given;
  if (!directive.empty() && directive != "COPY") return XmlFail(XmlErrorCode::kInvalidArgument, directive);
  ObjectAttributes attributes = CopiedAttributes(*source.attributes);
  attributes.storage_class = std::move(given.storage_class);
  return attributes;
}

}  // namespace

XmlResult<ObjectPtr> FindCopySource(const Store& store, const XmlCall& call) {
  const XmlResult<Source> source = ReadSource(call);
  if (!source) return tl::unexpected(source.error());
  const auto allowed = call.caller.Require(Permission::kObjectsGet,
                                           {source->bucket, source->selector.name, source->selector.generation});
  if (!allowed) return tl::unexpected(ToXmlError(allowed.error()));
  const auto bucket = store.FindBucket(source->bucket);
  if (!bucket) return tl::unexpected(ToXmlError(bucket.error(), XmlErrorCode::kNoSuchBucket));
  Outcome<ObjectPtr> object = (*bucket)->GetObject(source->selector);
  if (!object) return tl::unexpected(ToXmlError(object.error(), XmlErrorCode::kNoSuchKey));
  const ApiResult<std::string> key = ReadCustomerKey(call.request.headers, kSourceKeyHeaders);
  if (!key) return tl::unexpected(ToXmlError(key.error()));
  if (auto checked = CheckCustomerKey(**object, *key); !checked) {
    return tl::unexpected(ToXmlError(checked.error(), XmlErrorCode::kNoSuchKey));
  }
  const auto held = CheckHttpConditions(call, kCopySourceConditions, **object);
  // A write has no "not modified": RFC 9110 answers it with 412.
  if (!held) return XmlFail(XmlErrorCode::kPreconditionFailed, held.error().details);
  return *std::move(object);
}

XmlResult<HttpResponse> CopyXmlObject(const Store& store, const XmlCall& call, Bucket& destination,
                                      const Preconditions& preconditions, NewObject copy) {
  const XmlResult<ObjectPtr> source = FindCopySource(store, call);
  if (!source) return tl::unexpected(source.error());
  XmlResult<ObjectAttributes> settled = SettleAttributes(call, **source, std::move(copy.attributes));
  if (!settled) return tl::unexpected(settled.error());
  copy.attributes = *std::move(settled);
  if (auto access = SettleXmlAcl(call, *destination.info(), copy.attributes); !access) {
    return tl::unexpected(access.error());
  }
  copy.body = (*source)->body;
  copy.component_count = (*source)->component_count;
  const Outcome<ObjectPtr> stored = destination.InsertObject(std::move(copy), preconditions);
  if (!stored) return tl::unexpected(ToObjectError(call, stored.error()));
  call.subject.committed_generation = (*stored)->generation;
  XmlWriter xml;
  xml.Begin("CopyObjectResult", kListingXmlns);
  xml.Element("LastModified", FormatRfc3339((*stored)->updated));
  xml.Element("ETag", XmlEtag(**stored));
  xml.End("CopyObjectResult");
  HttpResponse response = XmlResponse(std::move(xml));
  AddStateHeaders(response.headers, **stored);
  return response;
}

}  // namespace gcsflux::emulator
