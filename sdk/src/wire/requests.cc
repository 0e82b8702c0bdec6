#include "wire/requests.h"

#include <concepts>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/crc32c.h"
#include "base/percent_encoding.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

// Everything that ObjectMetadata holds but md5Hash, which an emulator would have to compute at 0.9 GB/s.
constexpr std::string_view kObjectFields =
    "bucket,name,generation,metageneration,size,crc32c,etag,contentType,contentEncoding,storageClass,timeCreated,"
    "updated,metadata";

// A URL that grows by query parameters; what is absent or empty is left out.
class Url {
 public:
  Url(std::string_view endpoint, std::string_view path) : text_(endpoint) { text_ += path; }

  Url&& Segment(std::string_view raw) && {
    text_ += '/';
    text_ += PercentEncode(raw);
    return std::move(*this);
  }
  Url&& Literal(std::string_view path) && {
    text_ += path;
    return std::move(*this);
  }
  Url&& Query(std::string_view name, std::string_view value) && {
    if (value.empty()) return std::move(*this);
    text_ += has_query_ ? '&' : '?';
    has_query_ = true;
    text_ += name;
    text_ += '=';
    text_ += PercentEncode(value);
    return std::move(*this);
  }
  Url&& Query(std::string_view name, std::optional<std::int64_t> value) && {
    return std::move(*this).Query(name, value ? std::to_string(*value) : std::string());
  }
  std::string operator*() && { return std::move(text_); }

 private:
  std::string text_;
  bool has_query_ = false;
};

Url BucketUrl(std::string_view endpoint, std::string_view bucket) {
  return Url(endpoint, "/storage/v1/b").Segment(bucket);
}

Url ObjectUrl(std::string_view endpoint, const ObjectName& object) {
  return BucketUrl(endpoint, object.bucket).Literal("/o").Segment(object.name);
}

Url UploadUrl(std::string_view endpoint, const ObjectName& object, std::string_view upload_type,
              const InsertObjectOptions& options) {
  return Url(endpoint, "/upload/storage/v1/b")
      .Segment(object.bucket)
      .Literal("/o")
      .Query("uploadType", upload_type)
      .Query("fields", kObjectFields)
      .Query("ifGenerationMatch", options.if_generation_match)
      .Query("ifGenerationNotMatch", options.if_generation_not_match);
}

HttpRequest JsonRequest(Method method, std::string url, const Json& body) {
  return {.method = method,
          .url = std::move(url),
          .headers = {{"Content-Type", "application/json; charset=UTF-8"}},
          .head = body.dump()};
}

Json ObjectResource(const ObjectName& object, const InsertObjectOptions& options) {
  Json resource = {{"name", object.name}, {"contentType", options.content_type}};
  if (!options.metadata.empty()) resource["metadata"] = options.metadata;
  return resource;
}

// A boundary must not occur in the data. 128 bits that depend on all of it make that as good as certain without a
// search: a message that held its own boundary would have to solve for it.
std::string Boundary(std::span<const std::byte> data, std::uint32_t crc32c) {
  const std::uint32_t other = ExtendCrc32c(~crc32c, data.first(std::min<std::size_t>(data.size(), 4096)));
  constexpr char kHex[] = "0123456789abcdef";
  std::string boundary = "gcsflux-part-";
  for (const std::uint32_t word : {crc32c, other, ~crc32c ^ (other << 7), ~other ^ (crc32c >> 5)}) {
    for (int shift = 28; shift >= 0; shift -= 4) boundary += kHex[word >> shift & 0xF];
  }
  return boundary;
}

std::string RangeHeader(const ReadObjectOptions& options, std::uint64_t skip) {
  const ByteRange range = options.range.value_or(ByteRange{});
  const std::uint64_t begin = range.offset + skip;
  if (begin == 0 && !range.length) return "";
  std::string header = "bytes=" + std::to_string(begin) + "-";
  if (range.length) header += std::to_string(range.offset + *range.length - 1);
  return header;
}

}  // namespace

HttpRequest InsertBucketRequest(std::string_view endpoint, std::string_view project, std::string_view bucket,
                                const InsertBucketOptions& options) {
  Json resource = {{"name", bucket}};
  if (!options.location.empty()) resource["location"] = options.location;
  return JsonRequest(Method::kPost, *Url(endpoint, "/storage/v1/b").Query("project", project), resource);
}

HttpRequest GetBucketRequest(std::string_view endpoint, std::string_view bucket) {
  return {.url = *BucketUrl(endpoint, bucket)};
}

HttpRequest ListBucketsRequest(std::string_view endpoint, std::string_view project, const ListBucketsOptions& options,
                               std::string_view page_token) {
  return {.url = *Url(endpoint, "/storage/v1/b")
                      .Query("project", project)
                      .Query("prefix", options.prefix)
                      .Query("pageToken", page_token)};
}

HttpRequest DeleteBucketRequest(std::string_view endpoint, std::string_view bucket) {
  return {.method = Method::kDelete, .url = *BucketUrl(endpoint, bucket)};
}

HttpRequest InsertObjectRequest(std::string_view endpoint, const ObjectName& object, std::span<const std::byte> data,
                                std::uint32_t crc32c, const InsertObjectOptions& options) {
  Json resource = ObjectResource(object, options);
  resource["crc32c"] = Crc32cToBase64(crc32c);
  const std::string boundary = Boundary(data, crc32c);
  return {.method = Method::kPost,
          .url = *UploadUrl(endpoint, object, "multipart", options),
          .headers = {{"Content-Type", "multipart/related; boundary=" + boundary}},
          .head = "--" + boundary + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + resource.dump() +
                  "\r\n--" + boundary + "\r\nContent-Type: " + options.content_type + "\r\n\r\n",
          .payload = data,
          .tail = "\r\n--" + boundary + "--\r\n",
          .is_idempotent = options.if_generation_match.has_value()};
}

HttpRequest StartUploadRequest(std::string_view endpoint, const ObjectName& object,
                               const InsertObjectOptions& options) {
  HttpRequest request =
      JsonRequest(Method::kPost, *UploadUrl(endpoint, object, "resumable", options), ObjectResource(object, options));
  request.headers.emplace_back("X-Upload-Content-Type", options.content_type);
  return request;
}

HttpRequest GetObjectRequest(std::string_view endpoint, const ObjectName& object, const GetObjectOptions& options) {
  const std::string fields = std::string(kObjectFields) + (options.with_md5_hash ? ",md5Hash" : "");
  return {.url = *ObjectUrl(endpoint, object)
                      .Query("fields", fields)
                      .Query("generation", options.generation)
                      .Query("ifGenerationMatch", options.if_generation_match)
                      .Query("ifGenerationNotMatch", options.if_generation_not_match)};
}

HttpRequest ReadObjectRequest(std::string_view endpoint, const ObjectName& object, const ReadObjectOptions& options,
                              std::uint64_t skip, std::optional<std::int64_t> generation) {
  // With Accept-Encoding: gzip, GCS delivers the bytes as they are stored, ranges and checksums included.
  HttpRequest request{.url = *ObjectUrl(endpoint, object)
                                  .Query("alt", "media")
                                  .Query("generation", generation ? generation : options.generation)
                                  .Query("ifGenerationMatch", options.if_generation_match)
                                  .Query("ifGenerationNotMatch", options.if_generation_not_match),
                      .headers = {{"Accept-Encoding", "gzip"}}};
  if (auto range = RangeHeader(options, skip); !range.empty()) request.headers.emplace_back("Range", std::move(range));
  return request;
}

HttpRequest ListObjectsRequest(std::string_view endpoint, std::string_view bucket, const ListObjectsOptions& options) {
  const std::string fields = "nextPageToken,prefixes,items(" + std::string(kObjectFields) + ")";
  return {.url = *BucketUrl(endpoint, bucket)
                      .Literal("/o")
                      .Query("projection", "noAcl")
                      .Query("fields", fields)
                      .Query("maxResults", options.max_results)
                      .Query("prefix", options.prefix)
                      .Query("delimiter", options.delimiter)
                      .Query("startOffset", options.start_offset)
                      .Query("endOffset", options.end_offset)
                      .Query("pageToken", options.page_token)};
}

HttpRequest ComposeObjectsRequest(std::string_view endpoint, const std::vector<ComposeSource>& sources,
                                  const ObjectName& destination, const ComposeObjectsOptions& options) {
  Json body = {{"kind", "storage#composeRequest"}, {"sourceObjects", Json::array()}};
  for (const ComposeSource& source : sources) {
    Json entry = {{"name", source.name}};
    if (source.generation) entry["generation"] = std::to_string(*source.generation);
    body["sourceObjects"].push_back(std::move(entry));
  }
  body["destination"] =
      ObjectResource(destination, {.content_type = options.content_type, .metadata = options.metadata});
  HttpRequest request = JsonRequest(Method::kPost,
                                    *ObjectUrl(endpoint, destination)
                                         .Literal("/compose")
                                         .Query("fields", kObjectFields)
                                         .Query("ifGenerationMatch", options.if_generation_match),
                                    body);
  request.is_idempotent = options.if_generation_match.has_value();
  return request;
}

HttpRequest DeleteObjectRequest(std::string_view endpoint, const ObjectName& object,
                                const DeleteObjectOptions& options) {
  return {.method = Method::kDelete,
          .url = *ObjectUrl(endpoint, object)
                      .Query("generation", options.generation)
                      .Query("ifGenerationMatch", options.if_generation_match),
          .is_idempotent = options.generation.has_value() || options.if_generation_match.has_value()};
}

}  // namespace gcsflux::internal
