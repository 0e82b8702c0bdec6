#include "xml_api/xml_compose.h"

#include <string>
#include <utility>
#include <vector>

#include "xml_api/xml_objects.h"
#include "xml_api/xml_requests.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {

XmlResult<HttpResponse> ComposeXmlObject(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto named = CheckName(call); !named) return tl::unexpected(named.error());
  const XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  XmlResult<ObjectAttributes> attributes = ReadAttributes(call);
  if (!attributes) return tl::unexpected(attributes.error());
  // It is the type of the request's own body.
  if (attributes->content_type.find("xml") != std::string::npos) attributes->content_type.clear();
  XmlResult<ObjectEncryption> encryption = ReadEncryption(call);
  if (!encryption) return tl::unexpected(encryption.error());
  const XmlResult<std::string> text = ReceiveXml(call);
  if (!text) return tl::unexpected(text.error());
  XmlResult<std::vector<ObjectSelector>> sources = ParseCompose(*text);
  if (!sources) return tl::unexpected(sources.error());
  for (const ObjectSelector& source : *sources) {
    auto allowed = call.caller.Require(Permission::kObjectsGet, {call.route.bucket, source.name, source.generation});
    if (!allowed) return tl::unexpected(ToXmlError(allowed.error()));
  }
  if (auto access = SettleXmlAcl(call, *(*bucket)->info(), *attributes); !access) {
    return tl::unexpected(access.error());
  }
  const Outcome<ObjectPtr> composed =
      (*bucket)->ComposeObject({.sources = *std::move(sources),
                                .destination = {.name = call.route.object,
                                                .attributes = *std::move(attributes),
                                                .encryption = *std::move(encryption),
                                                .may_replace = call.caller.MayReplace(call.route.bucket)},
                                .preconditions = *preconditions});
  if (!composed) return tl::unexpected(ToObjectError(call, composed.error()));
  call.subject.committed_generation = (*composed)->generation;
  HttpResponse response;
  AddStateHeaders(response.headers, **composed);
  response.headers.Add("X-Goog-Component-Count", std::to_string((*composed)->component_count));
  return response;
}

}  // namespace gcsflux::emulator
