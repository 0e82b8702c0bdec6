#include "json_api/notifications/notification_endpoints.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "json_api/masked_json.h"
#include "json_api/request_json.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr auto kName = "notificationConfigs";
constexpr std::string_view kTopicService = "//pubsub.googleapis.com/";
// https://cloud.google.com/storage/docs/pubsub-notifications#events
constexpr std::array<std::string_view, 4> kEventTypes = {"OBJECT_FINALIZE", "OBJECT_METADATA_UPDATE", "OBJECT_DELETE",
                                                         "OBJECT_ARCHIVE"};
// https://cloud.google.com/storage/quotas#buckets: of one bucket.
constexpr std::size_t kMost = 100;

// The bucket's configurations: the number of the last one that was made, and those that were not deleted.
Json ReadConfigs(const BucketInfo& info) {
  const auto found = info.sub_resources.find(kName);
  if (found == info.sub_resources.end()) return {{"last", 0}, {"items", Json::array()}};
  return Json::parse(found->second);
}

const Json* FindConfig(const Json& configs, const std::string& id) {
  const Json& items = configs.at("items");
  const auto found = std::find_if(items.begin(), items.end(), [&](const Json& item) { return item.at("id") == id; });
  return found != items.end() ? &*found : nullptr;
}

ApiError NoSuchConfig(const ApiCall& call) {
  return {404, "notFound", "Notification " + call.route.item + " not found for bucket " + call.route.bucket + "."};
}

OrderedJson Resource(const ApiCall& call, const Json& config) {
  const auto id = config.at("id").get<std::string>();
  OrderedJson resource = {{"kind", "storage#notification"},
                          {"selfLink", call.base_url + "/storage/v1/b/" + call.route.bucket + "/" + kName + "/" + id},
                          {"id", id}};
  for (const char* name : {"topic", "payload_format", "event_types", "custom_attributes", "object_name_prefix"}) {
    if (const auto found = config.find(name); found != config.end()) resource[name] = *found;
  }
  resource["etag"] = id;
  return resource;
}

// "//pubsub.googleapis.com/projects/PROJECT/topics/TOPIC", with the service's name or without it.
std::optional<std::string> SettleTopic(std::string topic) {
  if (topic.starts_with(kTopicService)) topic.erase(0, kTopicService.size());
  if (!topic.starts_with("projects/")) return std::nullopt;
  const std::size_t middle = topic.find("/topics/");
  if (middle == std::string::npos || middle <= 9 || middle + 8 == topic.size()) return std::nullopt;
  return std::string(kTopicService) + topic;
}

const Json& Shape() {
  static const Json kShape = {{"topic", "string"},
                              {"payload_format", "string"},
                              {"object_name_prefix", "string"},
                              {"event_types", {"string"}},
                              {"custom_attributes", {{"*", "string"}}}};
  return kShape;
}

ApiResult<Json> ReadConfig(const ApiCall& call) {
  const ApiResult<Json> given = ReceiveJsonObject(call.body, Shape());
  if (!given) return given;
  for (const char* name : {"topic", "payload_format"}) {
    if (!given->contains(name)) return tl::unexpected(MissingParameter(name));
  }
  Json config;
  for (const auto& [name, shape] : Shape().items()) {
    if (const auto found = given->find(name); found != given->end()) config[name] = *found;
  }
  const std::optional<std::string> topic = SettleTopic(config["topic"]);
  if (!topic) return tl::unexpected(InvalidField("topic"));
  config["topic"] = *topic;
  if (config["payload_format"] != "JSON_API_V1" && config["payload_format"] != "NONE") {
    return tl::unexpected(InvalidField("payload_format"));
  }
  for (const Json& type : config.value("event_types", Json::array())) {
    if (std::find(kEventTypes.begin(), kEventTypes.end(), type.get<std::string>()) == kEventTypes.end()) {
      return tl::unexpected(InvalidField("event_types"));
    }
  }
  return config;
}

}  // namespace

ApiResult<HttpResponse> NotificationEndpoints::List(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  OrderedJson list = {{"kind", "storage#notifications"}};
  const Json configs = ReadConfigs(*(*bucket)->info());
  for (const Json& config : configs.at("items")) list["items"].push_back(Resource(call, config));
  return MaskedResponse(call, list);
}

ApiResult<HttpResponse> NotificationEndpoints::Insert(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  ApiResult<Json> config = ReadConfig(call);
  if (!config) return tl::unexpected(config.error());
  const auto changed = (*bucket)->ChangeSubResources([&](BucketInfo& info) -> Outcome<void> {
    Json configs = ReadConfigs(info);
    if (configs["items"].size() >= kMost) {
      return Fail(FailureKind::kInvalid, "A bucket can have at most 100 notification configurations.");
    }
    const std::int64_t number = configs["last"].get<std::int64_t>() + 1;
    configs["last"] = number;
    (*config)["id"] = std::to_string(number);
    configs["items"].push_back(*config);
    info.sub_resources[kName] = configs.dump();
    return {};
  });
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  return MaskedResponse(call, Resource(call, *config));
}

ApiResult<HttpResponse> NotificationEndpoints::Get(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  const Json configs = ReadConfigs(*(*bucket)->info());
  const Json* config = FindConfig(configs, call.route.item);
  if (config == nullptr) return tl::unexpected(NoSuchConfig(call));
  return MaskedResponse(call, Resource(call, *config));
}

ApiResult<HttpResponse> NotificationEndpoints::Delete(const ApiCall& call) const {
  const auto bucket = store_.FindBucket(call.route.bucket);
  if (!bucket) return tl::unexpected(ToApiError(bucket.error()));
  bool is_found = false;
  const auto changed = (*bucket)->ChangeSubResources([&](BucketInfo& info) -> Outcome<void> {
    Json configs = ReadConfigs(info);
    const Json* config = FindConfig(configs, call.route.item);
    is_found = config != nullptr;
    if (!is_found) return {};
    Json& items = configs["items"];
    items.erase(static_cast<std::size_t>(config - &items.front()));
    info.sub_resources[kName] = configs.dump();
    return {};
  });
  if (!changed) return tl::unexpected(ToApiError(changed.error()));
  if (!is_found) return tl::unexpected(NoSuchConfig(call));
  return HttpResponse{.status = 204};
}

}  // namespace gcsflux::emulator
