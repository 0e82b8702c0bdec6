#include "run_cases/test_bucket.h"

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

/// Deletes one page of objects. If a page cannot be read or emptied, returns the error.
OrError<Json> DeleteOnePage(const Service& service, const Variables& names) {
  const std::string target = Substitute("/storage/v1/b/{bucket}/o?versions=true", names);
  const auto listed = SendUnlessThrottled(service, {.method = "GET", .target = target});
  if (!listed || listed->status != 200) return Failed("list: " + Describe(listed));
  Json page = ParseAnswer(listed->body);
  if (!page.is_object()) return Failed("list: " + Describe(listed));
  Json items = page.value("items", Json::array());
  for (const Json& item : items) {
    Variables object = names;
    object["object"] = item.value("name", "");
    object["generation"] = item.value("generation", "");
    const std::string one = Substitute("/storage/v1/b/{bucket}/o/{object|encoded}?generation={generation}", object);
    const auto deleted = SendUnlessThrottled(service, {.method = "DELETE", .target = one});
    const bool is_gone = deleted && (deleted->status == 204 || deleted->status == 404);
    if (!is_gone) return Failed("delete " + object["object"] + ": " + Describe(deleted));
  }
  return items;
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
  while (response && response->status == 409) {
    const auto deleted = DeleteOnePage(service, names);
    if (!deleted) return Failed("cannot empty the bucket " + bucket + ": " + deleted.error());
    if (deleted->empty()) break;
    response = SendUnlessThrottled(service, request);
  }
  if (response && (response->status == 204 || response->status == 404)) return {};
  return Failed("cannot delete the bucket " + bucket + ": " + Describe(response));
}

}  // namespace gcsflux::conformance
