#include "xml_api/xml_listing.h"

#include <optional>
#include <string>
#include <utility>

#include "api/page_token.h"
#include "base/time_format.h"
#include "http/target.h"
#include "http/xml_writer.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {
namespace {

constexpr std::int64_t kMaxKeys = 1000;

// The first form has no tokens. If the previous page ended with a prefix, its marker is that prefix, and stands for all
// names within it.
ListPosition MarkerPosition(const std::string& marker, const ListQuery& query) {
  const bool is_prefix = !query.delimiter.empty() && marker.size() > query.prefix.size() &&
                         marker.starts_with(query.prefix) &&
                         marker.find(query.delimiter, query.prefix.size()) + query.delimiter.size() == marker.size();
  return ListPosition{is_prefix, marker};
}

XmlResult<std::optional<ListPosition>> ReadPosition(const XmlCall& call, const ListQuery& query, bool is_version_2) {
  const std::string token = is_version_2 ? call.query.Value("continuation-token") : "";
  if (!token.empty()) {
    std::optional<ListPosition> position = DecodePageToken(token);
    if (!position) return XmlFail(XmlErrorCode::kInvalidArgument, "Invalid continuation-token.");
    return position;
  }
  const std::string marker = call.query.Value(is_version_2 ? "start-after" : "marker");
  return marker.empty() ? std::nullopt : std::optional(MarkerPosition(marker, query));
}

void WriteObject(XmlWriter& xml, const Object& object, const ListingText& text) {
  xml.Begin("Contents");
  xml.Element("Key", text(object.name));
  xml.Element("Generation", std::to_string(object.generation));
  xml.Element("MetaGeneration", std::to_string(object.metageneration));
  xml.Element("LastModified", FormatRfc3339(object.updated));
  xml.Element("ETag", XmlEtag(object));
  xml.Element("Size", std::to_string(object.body->size()));
  xml.Element("StorageClass", object.attributes->storage_class);
  xml.End("Contents");
}

void WriteElementUnlessEmpty(XmlWriter& xml, std::string_view name, const std::string& text) {
  if (!text.empty()) xml.Element(name, text);
}

// Where this page begins and where the next one does, in each form's terms.
void WritePosition(XmlWriter& xml, const XmlCall& call, const ListPage& page, const ListingText& text,
                   bool is_version_2) {
  if (!is_version_2) {
    xml.Element("Marker", text(call.query.Value("marker")));
    if (page.next) xml.Element("NextMarker", text(page.next->text));
    return;
  }
  WriteElementUnlessEmpty(xml, "StartAfter", text(call.query.Value("start-after")));
  WriteElementUnlessEmpty(xml, "ContinuationToken", call.query.Value("continuation-token"));
  if (page.next) xml.Element("NextContinuationToken", EncodePageToken(*page.next));
  xml.Element("KeyCount", std::to_string(page.objects.size() + page.prefixes.size()));
}

HttpResponse RenderPage(const XmlCall& call, const ListQuery& query, const ListPage& page, const ListingText& text,
                        bool is_version_2) {
  XmlWriter xml;
  xml.Begin("ListBucketResult", kListingXmlns);
  xml.Element("Name", call.route.bucket);
  xml.Element("Prefix", text(query.prefix));
  WritePosition(xml, call, page, text, is_version_2);
  xml.Element("MaxKeys", std::to_string(query.max_results));
  WriteElementUnlessEmpty(xml, "Delimiter", text(query.delimiter));
  if (text.is_encoded()) xml.Element("EncodingType", "url");
  xml.Element("IsTruncated", page.next ? "true" : "false");
  for (const ObjectPtr& object : page.objects) WriteObject(xml, *object, text);
  for (const std::string& prefix : page.prefixes) {
    xml.Begin("CommonPrefixes");
    xml.Element("Prefix", text(prefix));
    xml.End("CommonPrefixes");
  }
  xml.End("ListBucketResult");
  return XmlResponse(std::move(xml));
}

}  // namespace

XmlResult<ListingText> ListingText::Read(const XmlCall& call) {
  const std::string type = call.query.Value("encoding-type");
  if (!type.empty() && type != "url") return XmlFail(XmlErrorCode::kInvalidArgument, "encoding-type=" + type);
  ListingText text;
  text.is_encoded_ = !type.empty();
  return text;
}

std::string ListingText::operator()(const std::string& text) const { return is_encoded_ ? EncodePath(text) : text; }

XmlResult<HttpResponse> ListXmlObjects(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const std::string list_type = call.query.Value("list-type");
  if (!list_type.empty() && list_type != "1" && list_type != "2") {
    return XmlFail(XmlErrorCode::kInvalidArgument, "list-type=" + list_type);
  }
  const XmlResult<ListingText> text = ListingText::Read(call);
  const XmlResult<std::size_t> max_keys = ReadLimit(call, "max-keys", 0, kMaxKeys);
  if (!text) return tl::unexpected(text.error());
  if (!max_keys) return tl::unexpected(max_keys.error());
  ListQuery query{
      .prefix = call.query.Value("prefix"), .delimiter = call.query.Value("delimiter"), .max_results = *max_keys};
  auto position = ReadPosition(call, query, list_type == "2");
  if (!position) return tl::unexpected(position.error());
  query.after = *std::move(position);
  // An empty page has no end from which another one could continue.
  const ListPage page = *max_keys != 0 ? (*bucket)->List(query) : ListPage();
  call.subject.listed_items = page.objects.size() + page.prefixes.size();
  return RenderPage(call, query, page, *text, list_type == "2");
}

}  // namespace gcsflux::emulator
