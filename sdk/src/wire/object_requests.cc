#include "wire/object_requests.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "wire/key_headers.h"
#include "wire/object_resource.h"
#include "wire/request_url.h"

namespace gcsflux::internal {
namespace {

std::string RangeHeader(const ReadObjectOptions& options, std::uint64_t skip) {
  const ByteRange range = options.range.value_or(ByteRange{});
  const std::uint64_t begin = range.offset + skip;
  if (begin == 0 && !range.length) return "";
  std::string header = "bytes=" + std::to_string(begin) + "-";
  if (range.length) header += std::to_string(range.offset + *range.length - 1);
  return header;
}

std::string ObjectUrl(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options,
                      std::string_view fields = {}) {
  return *RequestUrl::OfObject(endpoint, object)
              .Query("fields", fields)
              .Query("generation", options.generation)
              .Query(options.preconditions)
              .Query(options.call);
}

std::string MetadataUrl(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options) {
  const std::string fields = ObjectFields(options.fields) + (options.with_md5_hash ? ",md5Hash" : "");
  return ObjectUrl(endpoint, object, options, fields);
}

}  // namespace

HttpRequest GetObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options) {
  HttpRequest request{.url = MetadataUrl(endpoint, object, options)};
  AddKey(request, options.encryption_key);
  return request;
}

HttpRequest ReadObjectRequest(std::string_view endpoint, const ObjectName& object, const ReadObjectOptions& options,
                              std::uint64_t skip, std::optional<std::int64_t> generation) {
  // With Accept-Encoding: gzip, GCS delivers the stored bytes, with ranges and checksums.
  HttpRequest request{.url = *RequestUrl::OfObject(endpoint, object)
                                  .Query("alt", "media")
                                  .Query("generation", generation ? generation : options.generation)
                                  .Query(options.preconditions)
                                  .Query(options.call),
                      .headers = {{"Accept-Encoding", "gzip"}}};
  if (auto range = RangeHeader(options, skip); !range.empty()) request.headers.emplace_back("Range", std::move(range));
  AddKey(request, options.encryption_key);
  return request;
}

HttpRequest ListObjectsRequest(std::string_view endpoint, const ObjectName& prefix, const ListOptions& options,
                               std::string_view item_fields) {
  const std::string asked = item_fields.empty() ? ObjectFields(options.fields) : std::string(item_fields);
  return {.url = *RequestUrl::OfBucket(endpoint, prefix.bucket)
                      .Literal("/o")
                      .Query("projection", "noAcl")
                      .Query("fields", "nextPageToken,prefixes,items(" + asked + ")")
                      .Query("maxResults", options.max_results)
                      .Query("prefix", prefix.name)
                      .Query("delimiter", options.delimiter)
                      .Query("startOffset", options.start_offset)
                      .Query("endOffset", options.end_offset)
                      .Query("matchGlob", options.match_glob)
                      .Query("versions", options.versions ? "true" : "")
                      .Query("pageToken", options.page_token)
                      .Query(options.call)};
}

HttpRequest PatchObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectChanges& changes,
                               const ObjectOptions& options) {
  return JsonRequest(Method::kPatch, MetadataUrl(endpoint, object, options), ToJson(changes));
}

HttpRequest UpdateObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectAttributes& attributes,
                                const ObjectOptions& options) {
  return JsonRequest(Method::kPut, MetadataUrl(endpoint, object, options), ToJson(attributes));
}

HttpRequest DeleteObjectRequest(std::string_view endpoint, const ObjectName& object, const ObjectOptions& options) {
  return {.method = Method::kDelete, .url = ObjectUrl(endpoint, object, options)};
}

}  // namespace gcsflux::internal
