#include "run_cases/test_bucket.h"

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

/// Deletes one page of objects, and returns their names and generations. If a page cannot be read or emptied, returns
/// the error.
OrError<std::vector<std::string>> DeleteOnePage(const Service& service, const Variables& names) {
  const std::string target = Substitute("/storage/v1/b/{bucket}/o?versions=true", names);
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
    const bool is_gone = deleted && (deleted->status == 204 || deleted->status == 404);
    if (!is_gone) return Failed("delete " + object["object"] + ": " + Describe(deleted));
    deleted_names.push_back(object["object"] + "#" + object["generation"]);
  }
  return deleted_names;
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

OrError<void> DeleteBucketAndObjects(const Service& service, const std::string& bucket) {
  const Variables names = {{"bucket", bucket}};
  const Request request{.method = "DELETE", .target = Substitute("/storage/v1/b/{bucket}", names)};
  auto response = SendUnlessThrottled(service, request);
  // Only a bucket with objects is refused. Most cases leave few objects, so there are few pages.
  constexpr int kMostPages = 20;
  std::vector<std::string> before;
  for (int page = 0; response && response->status == 409; ++page) {
    auto deleted = DeleteOnePage(service, names);
    if (!deleted) return Failed("cannot empty the bucket " + bucket + ": " + deleted.error());
    if (deleted->empty()) break;
    if (*deleted == before || page == kMostPages) {
      return Failed("cannot empty the bucket " + bucket + ": " + deleted->front() + " was deleted, and others, but " +
                    (page == kMostPages ? "there are always more" : "they are still listed"));
    }
    before = *std::move(deleted);
    response = SendUnlessThrottled(service, request);
  }
  if (response && (response->status == 204 || response->status == 404)) return {};
  return Failed("cannot delete the bucket " + bucket + ": " + Describe(response));
}

}  // namespace gcsflux::conformance
