#include "xml_api/xml_requests.h"

#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <string>

#include "store/objects/names.h"
#include "xml_api/xml_elements.h"
#include "xml_api/xml_etag.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxObjectsToDelete = 1000;
constexpr std::size_t kMaxComponents = 32;

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
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

// A number that may be absent.
XmlResult<std::optional<std::int64_t>> NumberChild(const pugi::xml_node& node, std::string_view name) {
  const std::optional<std::string> text = OnlyChild(node, name);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> number = ParseNumber(*text);
  if (!number) return XmlFail(XmlErrorCode::kInvalidArgument, std::string(name) + " " + *text);
  return number;
}

XmlResult<ObjectSelector> ParseComponent(const pugi::xml_node& node) {
  const std::string name = OnlyChild(node, "Name").value_or("");
  const auto generation = NumberChild(node, "Generation");
  const auto match = NumberChild(node, "IfGenerationMatch");
  if (LocalName(node) != "Component" || name.empty()) {
    return XmlFail(XmlErrorCode::kMalformedXml, "A Component needs one Name.");
  }
  if (!generation) return tl::unexpected(generation.error());
  if (!match) return tl::unexpected(match.error());
  return ObjectSelector{.name = name, .generation = *generation, .preconditions = {.if_generation_match = *match}};
}

}  // namespace

XmlResult<std::vector<ObjectSelector>> ParseCompose(std::string_view xml) {
  pugi::xml_document document;
  const auto root = ParseRoot(document, xml, "ComposeRequest");
  if (!root) return tl::unexpected(root.error());
  std::vector<ObjectSelector> sources;
  for (const pugi::xml_node& child : root->children()) {
    if (child.type() != pugi::node_element) continue;
    XmlResult<ObjectSelector> source = ParseComponent(child);
    if (!source) return tl::unexpected(source.error());
    sources.push_back(*std::move(source));
  }
  if (!sources.empty() && sources.size() <= kMaxComponents) return sources;
  return XmlFail(XmlErrorCode::kInvalidArgument, "A ComposeRequest names between 1 and 32 components.");
}

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
