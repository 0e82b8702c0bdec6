#include "api/media_response.h"

#include <cstdint>
#include <string>
#include <utility>

#include "api/custom_time.h"
#include "api/encryption_headers.h"
#include "api/object_etag.h"
#include "base/time_format.h"
#include "bodies/gunzip.h"
#include "http/byte_range.h"
#include "http/entity_tags.h"
#include "http/hash_text.h"
#include "http/json_error.h"

namespace gcsflux::emulator {
namespace {

// An MD5 that was not computed yet would delay the first byte, by a second per GB.
constexpr std::uint64_t kMaxMd5Size = std::uint64_t{8} << 20;

bool ShowsMd5(const Object& object) {
  return HasMd5(object) && (object.body->has_md5() || object.body->size() <= kMaxMd5Size);
}

void AddUnlessEmpty(HttpHeaders& headers, const char* name, const std::string& value) {
  if (!value.empty()) headers.Add(name, value);
}

void AddObjectHeaders(HttpHeaders& headers, const Object& object) {
  const ObjectAttributes& attributes = *object.attributes;
  headers.Add("Content-Type", attributes.content_type.empty() ? "application/octet-stream" : attributes.content_type);
  headers.Add("ETag", ObjectEtag(object));
  headers.Add("Last-Modified", FormatHttpDate(object.updated));
  headers.Add("X-Goog-Generation", std::to_string(object.generation));
  headers.Add("X-Goog-Metageneration", std::to_string(object.metageneration));
  headers.Add("X-Goog-Storage-Class", attributes.storage_class);
  const std::string& encoding = attributes.content_encoding;
  headers.Add("X-Goog-Stored-Content-Encoding", encoding.empty() ? "identity" : encoding);
  headers.Add("X-Goog-Stored-Content-Length", std::to_string(object.body->size()));
  std::string hashes = "crc32c=" + EncodeCrc32c(object.body->crc32c());
  if (ShowsMd5(object)) hashes += ",md5=" + EncodeMd5(object.body->md5());
  // One field without spaces: Google's Node.js client reads the MD5 from no other form.
  headers.Add("X-Goog-Hash", std::move(hashes));
  AddEncryptionHeaders(headers, object);
  AddUnlessEmpty(headers, "Cache-Control", attributes.cache_control);
  AddUnlessEmpty(headers, "Content-Disposition", attributes.content_disposition);
  AddUnlessEmpty(headers, "Content-Language", attributes.content_language);
  AddUnlessEmpty(headers, "X-Goog-Custom-Time", ShowCustomTime(attributes.custom_time));
}

// https://cloud.google.com/storage/docs/transcoding
bool IsTranscoded(const Object& object, const HttpHeaders& request) {
  const ObjectAttributes& attributes = *object.attributes;
  return attributes.content_encoding == "gzip" && attributes.cache_control.find("no-transform") == std::string::npos &&
         !AcceptsGzip(request.FindAll("accept-encoding").value_or("")) && IsGzip(object.body->bytes());
}

HttpResponse TranscodedResponse(const Object& object, HttpResponse response) {
  response.headers.Add("Vary", "Accept-Encoding");
  response.headers.Add("Warning", "214 UploadServer gunzipped");
  response.headers.Add("X-GUploader-Response-Body-Transformations", "gunzipped");
  response.body = [body = object.body](const ResponseSink& sink) { return Gunzip(body->bytes(), sink); };
  return response;
}

HttpResponse UnsatisfiableResponse(std::uint64_t size) {
  HttpResponse response = ErrorResponse(ApiError{416, "requestedRangeNotSatisfiable", "Request range not satisfiable"});
  response.headers.Add("Content-Range", "bytes */" + std::to_string(size));
  return response;
}

}  // namespace

HttpResponse MediaResponse(const Object& object, const HttpHeaders& request, std::string_view etag,
                           RequestSubject& subject) {
  object.body->CheckBytes();
  const Rope& bytes = object.body->bytes();
  HttpResponse response;
  AddObjectHeaders(response.headers, object);
  if (IsTranscoded(object, request)) return TranscodedResponse(object, std::move(response));
  AddUnlessEmpty(response.headers, "Content-Encoding", object.attributes->content_encoding);
  response.headers.Add("Accept-Ranges", "bytes");
  const std::string* header = request.Find("range");
  // RFC 9110, section 13.1.5: a range of another state of the object would not fit what the client has. A date never
  // matches here: the whole object is right too.
  const std::string* state = request.Find("if-range");
  if (state != nullptr && !ListsEntityTag(*state, etag)) header = nullptr;
  const RangeRequest range = header != nullptr ? ParseRange(*header, bytes.size()) : RangeRequest();
  if (range.kind == RangeRequest::Kind::kUnsatisfiable) return UnsatisfiableResponse(bytes.size());
  subject.read_generation = object.generation;
  if (range.kind == RangeRequest::Kind::kWhole) {
    response.body = bytes;
    return response;
  }
  subject.offset = range.offset;
  response.status = 206;
  response.headers.Add("Content-Range", "bytes " + std::to_string(range.offset) + "-" +
                                            std::to_string(range.offset + range.length - 1) + "/" +
                                            std::to_string(bytes.size()));
  response.body = bytes.Slice(range.offset, range.length);
  return response;
}

}  // namespace gcsflux::emulator
