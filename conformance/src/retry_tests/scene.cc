#include "retry_tests/scene.h"

#include <cstdlib>

#include "base/generated_bytes.h"
#include "case/excerpt.h"
#include "case/parse_answer.h"
#include "run_cases/test_bucket.h"
#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

OrError<Json> SendForJson(const Service& service, const Request& request) {
  const auto response = SendUnlessThrottled(service, request);
  if (!response) return Failed(response.error());
  Json json = ParseAnswer(response->body);
  if (response->status == 200 && json.is_object()) return json;
  return Failed(request.method + " " + request.target + ": " + std::to_string(response->status) + " " +
                Excerpt(std::string_view(response->body)));
}

OrError<Json> StoreObject(const Service& service, const ObjectName& object) {
  return SendForJson(service,
                     {.method = "POST",
                      .target = "/upload" + BucketTarget(object.bucket) + "/o?uploadType=media&name=" + object.name,
                      .headers = {{"Content-Type", "application/octet-stream"}},
                      .body = ObjectBytes()});
}

OrError<Json> KeepOldGenerations(const Service& service, const std::string& bucket) {
  return SendForJson(service, {.method = "PATCH",
                               .target = BucketTarget(bucket),
                               .headers = {{"Content-Type", "application/json"}},
                               .body = R"({"versioning": {"enabled": true}})"});
}

std::string WhyNotMetageneration(const std::string& wanted, const Json& object) {
  const std::string metageneration = object.value("metageneration", "");
  return metageneration == wanted ? "" : "the metageneration is " + metageneration + " instead of " + wanted;
}

}  // namespace

const std::string& ObjectBytes() {
  static const std::string bytes = Generate({.size = 2U << 20, .seed = 1});
  return bytes;
}

const std::string& UploadBytes() {
  static const std::string bytes = Generate({.size = (9U << 20) + 12'345, .seed = 2});
  return bytes;
}

// The names need no percent-encoding.
std::string BucketTarget(const std::string& bucket) { return "/storage/v1/b/" + bucket; }
std::string ObjectTarget(const ObjectName& object) { return BucketTarget(object.bucket) + "/o/" + object.name; }

Scene NameScene(const std::string& bucket) {
  return {.bucket = bucket, .new_bucket = bucket + "-new", .object = {bucket, "object"}, .new_object = {bucket, "new"}};
}

OrError<void> SetUp(const Service& service, Scene& scene, bool with_object) {
  if (auto created = CreateBucket(service, scene.bucket); !created) return created;
  if (const auto kept = KeepOldGenerations(service, scene.bucket); !kept) return Failed(kept.error());
  if (!with_object) return {};
  const auto stored = StoreObject(service, scene.object);
  if (!stored) return Failed(stored.error());
  scene.generation = std::strtoll(stored->value("generation", "0").c_str(), nullptr, 10);
  return {};
}

OrError<void> RemoveScene(const Service& service, const Scene& scene) {
  auto removed = DeleteBucketAndObjects(service, scene.new_bucket);
  auto emptied = DeleteBucketAndObjects(service, scene.bucket);
  return removed ? emptied : removed;
}

OrError<std::string> StoredOnce(const Service& service, const ObjectName& object) {
  const auto listed = SendForJson(
      service, {.method = "GET", .target = BucketTarget(object.bucket) + "/o?versions=true&prefix=" + object.name});
  if (!listed) return Failed(listed.error());
  const std::size_t generations = listed->value("items", Json::array()).size();
  if (generations != 1) return Failed("the object has " + std::to_string(generations) + " generations instead of 1");
  auto stored = SendUnlessThrottled(service, {.method = "GET", .target = ObjectTarget(object) + "?alt=media"});
  if (!stored) return Failed(stored.error());
  return std::move(stored->body);
}

std::string WhyNotStoredOnce(const Service& service, const ObjectName& object, const std::string& bytes) {
  const auto stored = StoredOnce(service, object);
  if (!stored) return stored.error();
  return *stored == bytes ? "" : "other bytes are stored than the call was given";
}

std::string WhyNotEmpty(const Service& service, const std::string& bucket, const std::string& prefix) {
  const auto listed =
      SendForJson(service, {.method = "GET", .target = BucketTarget(bucket) + "/o?versions=true&prefix=" + prefix});
  if (!listed) return listed.error();
  return listed->value("items", Json::array()).empty() ? "" : "objects are left under " + prefix;
}

std::string WhyNotChangedOnce(const Service& service, const ObjectName& object, const std::string& content_type) {
  const auto found = SendForJson(service, {.method = "GET", .target = ObjectTarget(object)});
  if (!found) return found.error();
  if (found->value("contentType", "") != content_type) return "the content type has not changed";
  return WhyNotMetageneration("2", *found);
}

std::string WhyNot(int status, const Service& service, const std::string& target) {
  const auto response = SendUnlessThrottled(service, {.method = "GET", .target = target});
  if (!response) return response.error();
  if (response->status == status) return "";
  return "GET " + target + " is " + std::to_string(response->status) + " instead of " + std::to_string(status);
}

std::string WhyNotUntouched(const Service& service, const Scene& scene) {
  const std::pair<int, std::string> answers[] = {
      {200, BucketTarget(scene.bucket)}, {404, BucketTarget(scene.new_bucket)}, {404, ObjectTarget(scene.new_object)}};
  for (const auto& [status, target] : answers) {
    if (std::string why = WhyNot(status, service, target); !why.empty()) return why;
  }
  const bool has_object = scene.generation != 0;
  if (!has_object) return "";
  const auto found = SendForJson(service, {.method = "GET", .target = ObjectTarget(scene.object)});
  return found ? WhyNotMetageneration("1", *found) : found.error();
}

std::string WhyNotReceived(const Scene& scene, const std::string& bytes) {
  if (scene.received == bytes) return "";
  return "other bytes were read than are stored, " + std::to_string(scene.received.size()) + " instead of " +
         std::to_string(bytes.size());
}

}  // namespace gcsflux::conformance
