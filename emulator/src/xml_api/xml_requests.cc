#include "xml_api/xml_requests.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "store/objects/names.h"
#include "xml_api/xml_etag.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxObjectsToDelete = 1000;

// Clients may write their namespace as a prefix.
std::string_view LocalName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// The text of the only child of that name, or nothing.
std::optional<std::string> OnlyChild(const pugi::xml_node& parent, std::string_view name) {
  std::optional<std::string> text;
  for (const pugi::xml_node& child : parent.children()) {
    if (child.type() != pugi::node_element || LocalName(child) != name) continue;
    if (text) return std::nullopt;
    text = Trim(child.text().get());
  }
  return text;
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The root element of that name.
XmlResult<pugi::xml_node> ParseRoot(pugi::xml_document& document, std::string_view xml, const std::string& name,
                                    unsigned options = pugi::parse_default) {
  // pugixml takes a zero byte for the end of the text, and ignores what follows.
  if (xml.find('\0') != std::string_view::npos) return XmlFail(XmlErrorCode::kMalformedXml, "It holds a zero byte.");
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size(), options, pugi::encoding_utf8);
  if (!parsed) return XmlFail(XmlErrorCode::kMalformedXml, parsed.description());
  const pugi::xml_node root = document.document_element();
  if (LocalName(root) != name) return XmlFail(XmlErrorCode::kMalformedXml, "Expected " + name + ".");
  return root;
}

XmlResult<PartReference> ParsePart(const pugi::xml_node& node) {
  if (LocalName(node) != "Part") return XmlFail(XmlErrorCode::kMalformedXml, "Expected Part.");
  const std::optional<std::string> number_text = OnlyChild(node, "PartNumber");
  const std::optional<std::string> etag = OnlyChild(node, "ETag");
  const std::optional<std::int64_t> number = number_text ? ParseNumber(*number_text) : std::nullopt;
  if (!number || !etag) return XmlFail(XmlErrorCode::kMalformedXml, "A Part needs one PartNumber and one ETag.");
  if (*number < 1 || *number > kMaxPartNumber) {
    return XmlFail(XmlErrorCode::kInvalidArgument, "PartNumber must be between 1 and 10000.");
  }
  return PartReference{static_cast<int>(*number), ParseMd5Etag(*etag)};
}

XmlResult<ObjectsToDelete::Entry> ParseObjectToDelete(const pugi::xml_node& node) {
  // Blanks belong to a name.
  ObjectsToDelete::Entry entry;
  int keys = 0;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element || LocalName(child) != "Key") continue;
    entry.name = child.text().get();
    ++keys;
  }
  if (keys != 1 || entry.name.empty()) return XmlFail(XmlErrorCode::kMalformedXml, "An Object needs one Key.");
  const std::string version = OnlyChild(node, "VersionId").value_or("");
  if (version.empty()) return entry;
  entry.generation = ParseNumber(version);
  if (!entry.generation) return XmlFail(XmlErrorCode::kInvalidArgument, "VersionId " + version);
  return entry;
}

}  // namespace

XmlResult<std::vector<PartReference>> ParseCompleteUpload(std::string_view xml) {
  pugi::xml_document document;
  const auto root = ParseRoot(document, xml, "CompleteMultipartUpload");
  if (!root) return tl::unexpected(root.error());
  std::vector<PartReference> parts;
  for (const pugi::xml_node& child : root->children()) {
    if (child.type() != pugi::node_element) continue;
    XmlResult<PartReference> part = ParsePart(child);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(*part);
  }
  if (parts.empty()) return XmlFail(XmlErrorCode::kMalformedXml, "You must specify at least one part.");
  return parts;
}

XmlResult<ObjectsToDelete> ParseDelete(std::string_view xml) {
  // A name may consist of blanks only.
  constexpr unsigned kOptions = pugi::parse_default | pugi::parse_ws_pcdata_single;
  pugi::xml_document document;
  const auto root = ParseRoot(document, xml, "Delete", kOptions);
  if (!root) return tl::unexpected(root.error());
  ObjectsToDelete objects{.is_quiet = OnlyChild(*root, "Quiet") == "true"};
  for (const pugi::xml_node& child : root->children()) {
    if (child.type() != pugi::node_element || LocalName(child) != "Object") continue;
    XmlResult<ObjectsToDelete::Entry> entry = ParseObjectToDelete(child);
    if (!entry) return tl::unexpected(entry.error());
    objects.entries.push_back(*std::move(entry));
  }
  if (!objects.entries.empty() && objects.entries.size() <= kMaxObjectsToDelete) return objects;
  return XmlFail(XmlErrorCode::kMalformedXml, "A Delete names between 1 and 1000 objects.");
}

XmlResult<BucketConfiguration> ParseBucketConfiguration(std::string_view xml) {
  pugi::xml_document document;
  const auto root = ParseRoot(document, xml, "CreateBucketConfiguration");
  if (!root) return tl::unexpected(root.error());
  BucketConfiguration configuration{OnlyChild(*root, "LocationConstraint").value_or(""),
                                    OnlyChild(*root, "StorageClass").value_or("")};
  // The JSON API shows it as JSON, which has no form for other bytes. References such as &#xD800; give them too.
  if (!IsUtf8(configuration.location)) {
    return XmlFail(XmlErrorCode::kMalformedXml, "LocationConstraint is not UTF-8.");
  }
  return configuration;
}

XmlResult<bool> ParseVersioningConfiguration(std::string_view xml) {
  pugi::xml_document document;
  const auto root = ParseRoot(document, xml, "VersioningConfiguration");
  if (!root) return tl::unexpected(root.error());
  const std::string status = OnlyChild(*root, "Status").value_or("");
  if (status == "Enabled") return true;
  if (status == "Suspended") return false;
  return XmlFail(XmlErrorCode::kMalformedXml, "Status must be Enabled or Suspended.");
}

}  // namespace gcsflux::emulator
