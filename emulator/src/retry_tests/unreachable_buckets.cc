#include "retry_tests/unreachable_buckets.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kResource = "projects/_/buckets/";

// In the service's form.
Json ResourcesOf(std::string_view names) {
  Json resources = Json::array();
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    const bool is_resource = name.starts_with(kResource);
    if (!name.empty()) resources.push_back((is_resource ? "" : std::string(kResource)) + std::string(name));
  }
  return resources;
}

Json Without(const Json& items, const Json& unreachable) {
  Json kept = Json::array();
  for (const Json& item : items) {
    const std::string resource = std::string(kResource) + item.value("name", "");
    if (std::find(unreachable.begin(), unreachable.end(), resource) == unreachable.end()) kept.push_back(item);
  }
  return kept;
}

}  // namespace

void UnreachableBuckets::After(HttpResponse& response, const RequestSubject& /*subject*/,
                               const RequestContext& /*context*/) {
  auto* const body = std::get_if<std::string>(&response.body);
  Json page = body != nullptr && response.status == 200 ? Json::parse(*body, nullptr, false) : Json();
  if (!page.is_object() || !firing_->Fire()) return;
  const Json unreachable = ResourcesOf(names_);
  if (page.contains("items")) page["items"] = Without(page["items"], unreachable);
  page["unreachable"] = unreachable;
  *body = page.dump();
}

}  // namespace gcsflux::emulator
