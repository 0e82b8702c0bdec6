#include "xml_api/xml_multipart_pages.h"

#include <string>
#include <utility>

#include "base/time_format.h"
#include "http/xml_writer.h"
#include "xml_api/xml_etag.h"

namespace gcsflux::emulator {

HttpResponse RenderPartPage(const XmlCall& call, const MultipartUpload& upload, int after, std::size_t max_parts) {
  const PartPage page = upload.ListParts(after, max_parts);
  call.subject.listed_items = page.parts.size();
  XmlWriter xml;
  xml.Begin("ListPartsResult", kMultipartXmlns);
  xml.Element("Bucket", call.route.bucket);
  xml.Element("Key", call.route.object);
  xml.Element("UploadId", call.query.Value("uploadId"));
  xml.Element("StorageClass", upload.attributes().storage_class);
  xml.Element("PartNumberMarker", std::to_string(after));
  if (page.is_truncated) xml.Element("NextPartNumberMarker", std::to_string(page.parts.back().number));
  xml.Element("MaxParts", std::to_string(max_parts));
  xml.Element("IsTruncated", page.is_truncated ? "true" : "false");
  for (const UploadPart& part : page.parts) {
    xml.Begin("Part");
    xml.Element("PartNumber", std::to_string(part.number));
    xml.Element("LastModified", FormatRfc3339(part.uploaded));
    xml.Element("ETag", Md5Etag(*part.body));
    xml.Element("Size", std::to_string(part.body->size()));
    xml.End("Part");
  }
  xml.End("ListPartsResult");
  return XmlResponse(std::move(xml));
}

HttpResponse RenderUploadPage(const XmlCall& call, const UploadQuery& query, const UploadPage& page,
                              const ListingText& text) {
  call.subject.listed_items = page.uploads.size() + page.prefixes.size();
  XmlWriter xml;
  xml.Begin("ListMultipartUploadsResult", kMultipartXmlns);
  xml.Element("Bucket", call.route.bucket);
  xml.Element("KeyMarker", text(query.key_marker));
  xml.Element("UploadIdMarker", query.upload_id_marker);
  if (page.next) {
    xml.Element("NextKeyMarker", text(page.next->object));
    xml.Element("NextUploadIdMarker", page.next->id);
  }
  xml.Element("MaxUploads", std::to_string(query.max_uploads));
  if (!query.prefix.empty()) xml.Element("Prefix", text(query.prefix));
  if (!query.delimiter.empty()) xml.Element("Delimiter", text(query.delimiter));
  if (text.is_encoded()) xml.Element("EncodingType", "url");
  xml.Element("IsTruncated", page.next ? "true" : "false");
  for (const auto& [name, upload] : page.uploads) {
    xml.Begin("Upload");
    xml.Element("Key", text(name.object));
    xml.Element("UploadId", name.id);
    xml.Element("StorageClass", upload->attributes().storage_class);
    xml.Element("Initiated", FormatRfc3339(upload->initiated()));
    xml.End("Upload");
  }
  for (const std::string& prefix : page.prefixes) {
    xml.Begin("CommonPrefixes");
    xml.Element("Prefix", text(prefix));
    xml.End("CommonPrefixes");
  }
  xml.End("ListMultipartUploadsResult");
  return XmlResponse(std::move(xml));
}

}  // namespace gcsflux::emulator
