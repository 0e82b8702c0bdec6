#include "wire/object_requests.h"

#include <string>
#include <utility>

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

}  // namespace

HttpRequest GetObjectRequest(std::string_view endpoint, const ObjectName& object, const GetObjectOptions& options) {
  const std::string fields = std::string(kObjectFields) + (options.with_md5_hash ? ",md5Hash" : "");
  return {.url = *RequestUrl::OfObject(endpoint, object)
                      .Query("fields", fields)
                      .Query("generation", options.generation)
                      .Query(options.preconditions)
                      .Query(options.call)};
}

HttpRequest ReadObjectRequest(std::string_view endpoint, const ObjectName& object, const ReadObjectOptions& options,
                              std::uint64_t skip, std::optional<std::int64_t> generation) {
  // With Accept-Encoding: gzip, GCS delivers the bytes as they are stored, ranges and checksums included.
  HttpRequest request{.url = *RequestUrl::OfObject(endpoint, object)
                                  .Query("alt", "media")
                                  .Query("generation", generation ? generation : options.generation)
                                  .Query(options.preconditions)
                                  .Query(options.call),
                      .headers = {{"Accept-Encoding", "gzip"}}};
  if (auto range = RangeHeader(options, skip); !range.empty()) request.headers.emplace_back("Range", std::move(range));
  return request;
}

HttpRequest ListObjectsRequest(std::string_view endpoint, std::string_view bucket, const ListObjectsOptions& options) {
  const std::string fields = "nextPageToken,prefixes,items(" + std::string(kObjectFields) + ")";
  return {.url = *RequestUrl::OfBucket(endpoint, bucket)
                      .Literal("/o")
                      .Query("projection", "noAcl")
                      .Query("fields", fields)
                      .Query("maxResults", options.max_results)
                      .Query("prefix", options.prefix)
                      .Query("delimiter", options.delimiter)
                      .Query("startOffset", options.start_offset)
                      .Query("endOffset", options.end_offset)
                      .Query("pageToken", options.page_token)
                      .Query(options.call)};
}

HttpRequest DeleteObjectRequest(std::string_view endpoint, const ObjectName& object,
                                const DeleteObjectOptions& options) {
  return {.method = Method::kDelete,
          .url = *RequestUrl::OfObject(endpoint, object)
                      .Query("generation", options.generation)
                      .Query(options.preconditions)
                      .Query(options.call)};
}

}  // namespace gcsflux::internal
