#include "wire/multipart_answers.h"

#include <pugixml.hpp>
#include <utility>

#include "base/text/percent_encoding.h"
#include "base/text/rfc3339.h"
#include "base/text/zero_byte.h"
#include "wire/error_response.h"
#include "wire/read_response.h"
#include "wire/xml_error.h"

namespace gcsflux::internal {
namespace {

Error Unreadable(std::string_view xml, const char* what) {
  constexpr std::size_t kShown = 256;
  return Error{ErrorCode::kBadResponse,
               std::string("the answer is not a usable ") + what + ": " + std::string(xml.substr(0, kShown))};
}

// A page of the service has at most 1,000 entries. A document takes up to twenty times its text.
bool Load(pugi::xml_document& document, std::string_view xml) {
  constexpr std::size_t kMostBytes = 16U << 20;
  return xml.size() <= kMostBytes && !HasZeroByte(xml) && document.load_buffer(xml.data(), xml.size());
}

// A service need not tell which object an answer is about.
bool IsAboutAnother(const pugi::xml_node& root, const ObjectName& asked) {
  const pugi::xml_node bucket = root.child("Bucket");
  const pugi::xml_node key = root.child("Key");
  return (bucket && bucket.child_value() != asked.bucket) || (key && key.child_value() != asked.name);
}

}  // namespace

Result<std::string> ParseUploadId(std::string_view xml, const ObjectName& asked) {
  pugi::xml_document document;
  static_cast<void>(Load(document, xml));
  const pugi::xml_node root = document.child("InitiateMultipartUploadResult");
  std::string id = root.child_value("UploadId");
  if (id.empty() || IsAboutAnother(root, asked)) return Unreadable(xml, "InitiateMultipartUploadResult");
  return id;
}

Result<PartsPage> ParsePartsPage(std::string_view xml, const ObjectName& asked) {
  pugi::xml_document document;
  const bool is_read = Load(document, xml);
  const pugi::xml_node root = document.child("ListPartsResult");
  if (!is_read || !root || IsAboutAnother(root, asked)) return Unreadable(xml, "ListPartsResult");
  PartsPage page;
  for (const pugi::xml_node node : root.children("Part")) {
    const ListedPart part{.number = node.child("PartNumber").text().as_int(),
                          .size = node.child("Size").text().as_ullong(),
                          .etag = node.child_value("ETag")};
    if (part.number < 1 || part.etag.empty()) return Unreadable(xml, "list of parts");
    page.parts.push_back(part);
  }
  if (!root.child("IsTruncated").text().as_bool()) return page;
  // Without parts, pages would never end.
  if (page.parts.empty()) return Unreadable(xml, "page of parts");
  page.next = root.child("NextPartNumberMarker").text().as_int(page.parts.back().number);
  constexpr int kMostParts = 10'000;
  if (*page.next > kMostParts) return Unreadable(xml, "page of parts");
  return page;
}

Result<UploadsPage> ParseUploadsPage(std::string_view xml, const std::string& bucket) {
  pugi::xml_document document;
  const bool is_read = Load(document, xml);
  const pugi::xml_node root = document.child("ListMultipartUploadsResult");
  if (!is_read || !root || (root.child("Bucket") && root.child_value("Bucket") != bucket))
    return Unreadable(xml, "ListMultipartUploadsResult");
  const bool is_encoded = std::string_view(root.child_value("EncodingType")) == "url";
  const auto text = [&](const char* raw) { return is_encoded ? PercentDecode(raw) : std::string(raw); };
  UploadsPage page;
  for (const pugi::xml_node node : root.children("Upload")) {
    const auto initiated = ParseRfc3339(node.child_value("Initiated"));
    OngoingUpload upload{{bucket, text(node.child_value("Key"))}, node.child_value("UploadId")};
    if (upload.object.name.empty() || upload.upload_id.empty() || !initiated)
      return Unreadable(xml, "list of multipart uploads");
    upload.initiated = *initiated;
    page.uploads.push_back(std::move(upload));
  }
  if (!root.child("IsTruncated").text().as_bool()) return page;
  page.next = UploadsMarker{text(root.child_value("NextKeyMarker")), root.child_value("NextUploadIdMarker")};
  if (page.next->key.empty() || page.uploads.empty()) return Unreadable(xml, "page of multipart uploads");
  return page;
}

Result<std::int64_t> ParseCompleted(const HttpResponse& response, const ObjectName& asked) {
  if (const auto error = ParseXmlError(response.body)) {
    HttpResponse failed = response;
    failed.status = error->code == "InternalError" || error->code == "ServiceUnavailable" ? 503 : 400;
    return ErrorFromResponse(failed);
  }
  pugi::xml_document document;
  static_cast<void>(Load(document, response.body));
  const pugi::xml_node root = document.child("CompleteMultipartUploadResult");
  if (!root || IsAboutAnother(root, asked)) return Unreadable(response.body, "CompleteMultipartUploadResult");
  const auto generation = FindGeneration(response.headers);
  if (!generation) return generation.error();
  return generation->value_or(0);
}

}  // namespace gcsflux::internal
