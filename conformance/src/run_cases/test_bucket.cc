#include "run_cases/test_bucket.h"

#include <functional>
#include <utility>
#include <vector>

#include "case/excerpt.h"
#include "case/parse_answer.h"
#include "case/placeholders.h"
#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

std::string Describe(const OrError<Response>& response) {
  if (!response) return response.error();
  return std::to_string(response->status) + " " + Excerpt(std::string_view(response->body));
}

/// Some services answer a deletion with 200.
bool IsGone(const OrError<Response>& deleted) {
  return deleted && (deleted->status == 204 || deleted->status == 200 || deleted->status == 404);
}

/// Deletes one page of objects, and returns their names and generations. If a page cannot be read or emptied, returns
/// the error.
OrError<std::vector<std::string>> DeleteOnePage(const Service& service, const Variables& names) {
  const bool has_prefix = !names.at("prefix").empty();
  const std::string target = Substitute("/storage/v1/b/{bucket}/o?versions=true", names) +
                             (has_prefix ? Substitute("&prefix={prefix|encoded}", names) : "");
  const auto listed = SendUnlessThrottled(service, {.method = "GET", .target = target});
  if (!listed || listed->status != 200) return Failed("list: " + Describe(listed));
  Json page = ParseAnswer(listed->body);
  if (!page.is_object()) return Failed("list: " + Describe(listed));
  Json items = page.value("items", Json::array());
  std::vector<std::string> deleted_names;
  for (const Json& item : items) {
    Variables object = names;
    object["object"] = item.value("name", "");
    object["generation"] = item.value("generation", "");
    const std::string one = Substitute("/storage/v1/b/{bucket}/o/{object|encoded}?generation={generation}", object);
    const auto deleted = SendUnlessThrottled(service, {.method = "DELETE", .target = one});
    if (!IsGone(deleted)) return Failed("delete " + object["object"] + ": " + Describe(deleted));
    deleted_names.push_back(object["object"] + "#" + object["generation"]);
  }
  return deleted_names;
}

/// Deletes pages of objects until there are none, or `is_done` after one of them.
OrError<void> DeletePages(const Service& service, const std::string& bucket, const std::string& prefix,
                          const std::function<bool()>& is_done) {
  const Variables names = {{"bucket", bucket}, {"prefix", prefix}};
  // Most cases leave few objects, so there are few pages.
  constexpr int kMostPages = 20;
  std::vector<std::string> before;
  for (int page = 0;; ++page) {
    auto deleted = DeleteOnePage(service, names);
    if (!deleted) return Failed("cannot empty the bucket " + bucket + ": " + deleted.error());
    if (deleted->empty()) return {};
    if (*deleted == before || page == kMostPages) {
      return Failed("cannot empty the bucket " + bucket + ": " + deleted->front() + " was deleted, and others, but " +
                    (page == kMostPages ? "there are always more" : "they are still listed"));
    }
    before = *std::move(deleted);
    if (is_done()) return {};
  }
}

}  // namespace

OrError<void> CreateBucket(const Service& service, const std::string& bucket) {
  Request request{.method = "POST", .target = {}, .headers = {{"Content-Type", "application/json"}}};
  request.target = Substitute("/storage/v1/b?project={project|encoded}", {{"project", service.project}});
  request.body = Json{{"name", bucket}}.dump();
  const auto response = SendUnlessThrottled(service, request);
  if (response && response->status == 200) return {};
  return Failed("cannot make the bucket " + bucket + ": " + Describe(response));
}

OrError<void> DeleteObjectsBelow(const Service& service, const std::string& bucket, const std::string& prefix) {
  return DeletePages(service, bucket, prefix, [] { return false; });
}

OrError<void> DeleteBucketAndObjects(const Service& service, const std::string& bucket) {
  const Request request{.method = "DELETE", .target = Substitute("/storage/v1/b/{bucket}", {{"bucket", bucket}})};
  auto response = SendUnlessThrottled(service, request);
  // Only a bucket with objects is refused.
  const auto is_refused = [&] { return response && response->status == 409; };
  if (is_refused()) {
    auto emptied = DeletePages(service, bucket, "", [&] {
      response = SendUnlessThrottled(service, request);
      return !is_refused();
    });
    if (!emptied) return emptied;
  }
  if (IsGone(response)) return {};
  return Failed("cannot delete the bucket " + bucket + ": " + Describe(response));
}

}  // namespace gcsflux::conformance
