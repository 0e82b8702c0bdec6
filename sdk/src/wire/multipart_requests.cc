#include "wire/multipart_requests.h"

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <utility>

#include "base/text/base64.h"
#include "base/text/percent_encoding.h"
#include "base/text/rfc3339.h"
#include "wire/key_headers.h"
#include "wire/request_url.h"

namespace gcsflux::internal {
namespace {

// A slash in the name is encoded too, so that no library on the way changes "/../".
RequestUrl ObjectUrl(const MultipartTarget& target) {
  return RequestUrl(target.endpoint, "").Segment(target.object.bucket).Segment(target.object.name);
}

HttpRequest RequestOf(Method method, const MultipartTarget& target, RequestUrl&& url) {
  HttpRequest request{.method = method, .url = *std::move(url)};
  const std::string& payer = target.options.call.user_project;
  if (!payer.empty()) request.headers.emplace_back("x-goog-user-project", payer);
  return request;
}

// Appends to other parameters. Nothing if it is empty.
std::string Parameter(const char* name, std::string_view value) {
  if (value.empty()) return {};
  std::string text = "&";
  text += name;
  text += '=';
  return text += PercentEncode(value);
}

bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Result<HttpRequest> InitiateMultipartRequest(const MultipartTarget& target) {
  const ObjectAttributes& attributes = target.options.attributes;
  if (attributes.event_based_hold || attributes.temporary_hold) {
    return Error{ErrorCode::kInvalidArgument, "a multipart upload cannot place holds: patch the object afterwards"};
  }
  HttpRequest request = RequestOf(Method::kPost, target, ObjectUrl(target).Literal("?uploads"));
  request.is_invisible = true;
  Headers& headers = request.headers;
  const std::string kms_key_name = target.options.kms_key_name.value_or("");
  for (const auto& [name, text] : {std::pair("Content-Type", &attributes.content_type),
                                   {"Content-Encoding", &attributes.content_encoding},
                                   {"Content-Disposition", &attributes.content_disposition},
                                   {"Content-Language", &attributes.content_language},
                                   {"Cache-Control", &attributes.cache_control},
                                   {"x-goog-storage-class", &attributes.storage_class},
                                   {"x-goog-encryption-kms-key-name", &kms_key_name}}) {
    if (!text->empty()) headers.emplace_back(name, *text);
  }
  if (attributes.custom_time) headers.emplace_back("x-goog-custom-time", FormatRfc3339(*attributes.custom_time));
  for (const auto& [key, value] : attributes.metadata) headers.emplace_back("x-goog-meta-" + key, value);
  for (const auto& [name, value] : headers) {
    const bool is_name = name.find_first_of(" :") == std::string::npos && IsHeaderText(name);
    if (is_name && IsHeaderText(value)) continue;
    return Error{ErrorCode::kInvalidArgument, "a multipart upload sends attributes as headers, which '" +
                                                  std::string(name.substr(0, 64)) +
                                                  "' or its value cannot be: ASCII only"};
  }
  AddKey(request, target.options.encryption_key);
  return request;
}

HttpRequest PutPartRequest(const MultipartTarget& target, int number, std::span<const std::byte> data,
                           std::uint32_t crc32c) {
  HttpRequest request =
      RequestOf(Method::kPut, target,
                ObjectUrl(target).Query("partNumber", std::int64_t{number}).Query("uploadId", target.upload_id));
  request.headers.emplace_back("x-goog-hash", "crc32c=" + Crc32cToBase64(crc32c));
  request.payload = data;
  request.is_invisible = true;
  AddKey(request, target.options.encryption_key);
  return request;
}

HttpRequest ListPartsRequest(const MultipartTarget& target, int after) {
  return RequestOf(Method::kGet, target,
                   ObjectUrl(target)
                       .Query("uploadId", target.upload_id)
                       .Query("max-parts", std::int64_t{1000})
                       .Query("part-number-marker", std::int64_t{after}));
}

HttpRequest ListUploadsRequest(const UploadsTarget& target, const UploadsMarker& after) {
  // Names may contain characters that XML cannot hold, so they are requested in encoded form.
  HttpRequest request{
      .method = Method::kGet,
      .url = *RequestUrl(target.endpoint, "")
                  .Segment(target.bucket)
                  .Literal("?uploads&encoding-type=url&max-uploads=1000" + Parameter("prefix", target.prefix) +
                           Parameter("key-marker", after.key) + Parameter("upload-id-marker", after.upload_id))};
  if (!target.call.user_project.empty()) request.headers.emplace_back("x-goog-user-project", target.call.user_project);
  return request;
}

HttpRequest CompleteMultipartRequest(const MultipartTarget& target, const std::vector<PartTag>& parts) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  for (const PartTag& part : parts) {
    pugi::xml_node node = root.append_child("Part");
    node.append_child("PartNumber").text().set(part.number);
    node.append_child("ETag").text().set(part.etag.c_str());
  }
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  HttpRequest request = RequestOf(Method::kPost, target, ObjectUrl(target).Query("uploadId", target.upload_id));
  request.headers.emplace_back("Content-Type", "application/xml");
  request.head = text.str();
  return request;
}

HttpRequest AbortMultipartRequest(const MultipartTarget& target) {
  HttpRequest request = RequestOf(Method::kDelete, target, ObjectUrl(target).Query("uploadId", target.upload_id));
  request.is_invisible = true;
  return request;
}

}  // namespace gcsflux::internal
