#include "wire/insert_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/crc32c.h"
#include "base/text/base64.h"
#include "http/header_text.h"
#include "wire/key_headers.h"
#include "wire/object_resource.h"
#include "wire/request_url.h"

namespace gcsflux::internal {
namespace {

std::string UploadUrl(std::string_view endpoint, const ObjectName& object, std::string_view upload_type,
                      const InsertObjectOptions& options) {
  return *RequestUrl(endpoint, "/upload/storage/v1/b")
              .Segment(object.bucket)
              .Literal("/o")
              .Query("uploadType", upload_type)
              .Query("fields",
                     options.fields.empty() ? ObjectFields("") : ObjectFields(options.fields + ",size,crc32c"))
              .Query(options.preconditions)
              .Query("kmsKeyName", options.kms_key_name.value_or(""))
              .Query(options.call);
}

nlohmann::json Resource(const ObjectName& object, const InsertObjectOptions& options) {
  nlohmann::json resource = ToJson(options.attributes);
  resource["name"] = object.name;
  return resource;
}

// A boundary must not occur in the data. It has 128 bits that depend on all of the data, so an occurrence is
// practically impossible, and no search is needed.
std::string Boundary(std::span<const std::byte> data, std::uint32_t crc32c) {
  const std::uint32_t other = ExtendCrc32c(~crc32c, data.first(std::min<std::size_t>(data.size(), 4096)));
  constexpr char kHex[] = "0123456789abcdef";
  std::string boundary = "gcsflux-part-";
  for (const std::uint32_t word : {crc32c, other, ~crc32c ^ (other << 7), ~other ^ (crc32c >> 5)}) {
    for (int shift = 28; shift >= 0; shift -= 4) boundary += kHex[word >> shift & 0xF];
  }
  return boundary;
}

// The header of the part with the data: GCS refuses a type that differs from the metadata's. A text that no header can
// hold is in the metadata only.
std::string MediaType(const InsertObjectOptions& options) {
  const std::string& type = options.attributes.content_type;
  return type.empty() || !IsHeaderValue(type) ? "" : "Content-Type: " + type + "\r\n";
}

}  // namespace

HttpRequest InsertObjectRequest(std::string_view endpoint, const ObjectName& object, std::span<const std::byte> data,
                                std::uint32_t crc32c, const InsertObjectOptions& options) {
  nlohmann::json resource = Resource(object, options);
  resource["crc32c"] = Crc32cToBase64(crc32c);
  const std::string boundary = Boundary(data, crc32c);
  HttpRequest request{.method = Method::kPost,
                      .url = UploadUrl(endpoint, object, "multipart", options),
                      .headers = {{"Content-Type", "multipart/related; boundary=" + boundary}},
                      .head = "--" + boundary + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" +
                              resource.dump() + "\r\n--" + boundary + "\r\n" + MediaType(options) + "\r\n",
                      .payload = data,
                      .tail = "\r\n--" + boundary + "--\r\n"};
  AddKey(request, options.encryption_key);
  if (options.on_progress) {
    request.on_sent = [on_progress = options.on_progress, total = data.size()](std::uint64_t bytes) {
      on_progress({bytes, total});
    };
  }
  return request;
}

HttpRequest StartUploadRequest(std::string_view endpoint, const ObjectName& object,
                               const InsertObjectOptions& options) {
  HttpRequest request =
      JsonRequest(Method::kPost, UploadUrl(endpoint, object, "resumable", options), Resource(object, options));
  request.is_invisible = true;
  if (const auto& type = options.attributes.content_type; !type.empty()) {
    request.headers.emplace_back("X-Upload-Content-Type", type);
  }
  AddKey(request, options.encryption_key);
  return request;
}

}  // namespace gcsflux::internal
