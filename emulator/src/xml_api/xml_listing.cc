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

// `element` is Contents, or Version in a listing of all generations.
void WriteObject(XmlWriter& xml, std::string_view element, const Object& object, const ListingText& text) {
  const bool is_latest = object.extras == nullptr || !object.extras->time_deleted;
  xml.Begin(element);
  xml.Element("Key", text(object.name));
  if (element == "Version") {
    xml.Element("VersionId", std::to_string(object.generation));
    xml.Element("IsLatest", is_latest ? "true" : "false");
    if (!is_latest) xml.Element("DeletedTime", FormatRfc3339(*object.extras->time_deleted));
  }
  xml.Element("Generation", std::to_string(object.generation));
  xml.Element("MetaGeneration", std::to_string(object.metageneration));
  xml.Element("LastModified", FormatRfc3339(object.updated));
  xml.Element("ETag", XmlEtag(object));
  xml.Element("Size", std::to_string(object.body->size()));
  xml.Element("StorageClass", object.attributes->storage_class);
  xml.End(element);
}

void WriteElementUnlessEmpty(XmlWriter& xml, std::string_view name, const std::string& text) {
  if (!text.empty()) xml.Element(name, text);
}

void WriteItems(XmlWriter& xml, std::string_view element, const ListPage& page, const ListingText& text) {
  for (const ObjectPtr& object : page.objects) WriteObject(xml, element, *object, text);
  for (const std::string& prefix : page.prefixes) {
    xml.Begin("CommonPrefixes");
    xml.Element("Prefix", text(prefix));
    xml.End("CommonPrefixes");
  }
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
  WriteItems(xml, "Contents", page, text);
  xml.End("ListBucketResult");
  return XmlResponse(std::move(xml));
}

// After which generation the page begins: GCS and S3 have a name each for it.
XmlResult<std::optional<ListPosition>> ReadVersionPosition(const XmlCall& call, const ListQuery& query) {
  const std::string key = call.query.Value("key-marker");
  if (key.empty()) return std::nullopt;
  ListPosition position = MarkerPosition(key, query);
  for (const char* name : {"generation-marker", "version-id-marker"}) {
    if (call.query.Value(name).empty()) continue;
    const auto generation = Int64Parameter(call, name);
    if (!generation) return tl::unexpected(generation.error());
    position.generation = *generation;
  }
  return position;
}

HttpResponse RenderVersions(const XmlCall& call, const ListQuery& query, const ListPage& page,
                            const ListingText& text) {
  XmlWriter xml;
  xml.Begin("ListVersionsResult", kListingXmlns);
  xml.Element("Name", call.route.bucket);
  xml.Element("Prefix", text(query.prefix));
  xml.Element("KeyMarker", text(call.query.Value("key-marker")));
  if (page.next) {
    xml.Element("NextKeyMarker", text(page.next->text));
    const std::string generation = page.next->generation ? std::to_string(*page.next->generation) : "";
    WriteElementUnlessEmpty(xml, "NextGenerationMarker", generation);
    WriteElementUnlessEmpty(xml, "NextVersionIdMarker", generation);
  }
  xml.Element("MaxKeys", std::to_string(query.max_results));
  WriteElementUnlessEmpty(xml, "Delimiter", text(query.delimiter));
  if (text.is_encoded()) xml.Element("EncodingType", "url");
  xml.Element("IsTruncated", page.next ? "true" : "false");
  WriteItems(xml, "Version", page, text);
  xml.End("ListVersionsResult");
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

XmlResult<HttpResponse> ListXmlVersions(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const XmlResult<ListingText> text = ListingText::Read(call);
  const XmlResult<std::size_t> max_keys = ReadLimit(call, "max-keys", 1, kMaxKeys);
  if (!text) return tl::unexpected(text.error());
  if (!max_keys) return tl::unexpected(max_keys.error());
  ListQuery query{.prefix = call.query.Value("prefix"),
                  .delimiter = call.query.Value("delimiter"),
                  .max_results = *max_keys,
                  .has_versions = true};
  auto position = ReadVersionPosition(call, query);
  if (!position) return tl::unexpected(position.error());
  query.after = *std::move(position);
  const ListPage page = (*bucket)->List(query);
  call.subject.listed_items = page.objects.size() + page.prefixes.size();
  return RenderVersions(call, query, page, *text);
}

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
