#include "xml_api/xml_delete_objects.h"

#include <string>

#include "api/upload_hashes.h"
#include "http/xml_writer.h"
#include "store/bytes/body.h"
#include "xml_api/xml_objects.h"
#include "xml_api/xml_requests.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {
namespace {

// S3's clients send the MD5 of the list.
XmlResult<void> CheckListHashes(const XmlCall& call, const std::string& text) {
  const XmlResult<ExpectedHashes> hashes = ReadExpectedHashes(call);
  if (!hashes) return tl::unexpected(hashes.error());
  const auto checked = CheckHashes(*hashes, Body(Rope(text)));
  if (!checked) return XmlFail(XmlErrorCode::kBadDigest, checked.error().message);
  return {};
}

void WriteEntry(XmlWriter& xml, const ObjectsToDelete::Entry& entry) {
  xml.Element("Key", entry.name);
  if (entry.generation) xml.Element("VersionId", std::to_string(*entry.generation));
}

void WriteOutcome(XmlWriter& xml, const ObjectsToDelete::Entry& entry, const Outcome<void>& deleted, bool is_quiet) {
  if (deleted || deleted.error().kind == FailureKind::kNotFound) {
    if (is_quiet) return;
    xml.Begin("Deleted");
    WriteEntry(xml, entry);
    xml.End("Deleted");
    return;
  }
  const XmlError error = ToXmlError(deleted.error(), XmlErrorCode::kNoSuchKey);
  xml.Begin("Error");
  WriteEntry(xml, entry);
  xml.Element("Code", NameOf(error.code));
  xml.Element("Message", MessageOf(error.code));
  xml.End("Error");
}

}  // namespace

XmlResult<HttpResponse> DeleteXmlObjects(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto refused = RefusePreconditions(call, "A deletion of several objects"); !refused) {
    return tl::unexpected(refused.error());
  }
  const XmlResult<std::string> text = ReceiveXml(call);
  if (!text) return tl::unexpected(text.error());
  if (auto checked = CheckListHashes(call, *text); !checked) return tl::unexpected(checked.error());
  const XmlResult<ObjectsToDelete> objects = ParseDelete(*text);
  if (!objects) return tl::unexpected(objects.error());
  XmlWriter xml;
  xml.Begin("DeleteResult", kMultipartXmlns);
  for (const ObjectsToDelete::Entry& entry : objects->entries) {
    const Outcome<void> deleted = (*bucket)->DeleteObject({.name = entry.name, .generation = entry.generation});
    WriteOutcome(xml, entry, deleted, objects->is_quiet);
  }
  xml.End("DeleteResult");
  return XmlResponse(std::move(xml));
}

}  // namespace gcsflux::emulator
