#include "service/cors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "http/target.h"
#include "http/which_api.h"
#include "xml_api/xml_router.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

bool IsSame(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return ToLower(x) == ToLower(y); });
}

// One element of a bucket's `cors`.
struct Entry {
  std::vector<std::string> origins = {};
  std::vector<std::string> methods = {};
  std::vector<std::string> headers = {};
  std::optional<std::int64_t> max_age_s = {};
};

std::vector<Entry> EntriesOf(const Store& store, const std::string& bucket) {
  std::vector<Entry> entries;
  const auto found = store.FindBucket(bucket);
  if (!found) return entries;
  const BucketInfoPtr info = (*found)->info();
  const auto setting = info->settings.find("cors");
  if (setting == info->settings.end()) return entries;
  for (const json& entry : json::parse(setting->second)) {
    Entry& read = entries.emplace_back();
    read.origins = entry.value("origin", read.origins);
    read.methods = entry.value("method", read.methods);
    read.headers = entry.value("responseHeader", read.headers);
    if (entry.contains("maxAgeSeconds")) read.max_age_s = entry.at("maxAgeSeconds").get<std::int64_t>();
  }
  return entries;
}

bool Names(const std::vector<std::string>& names, std::string_view wanted) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == "*" || IsSame(name, wanted); });
}

bool NamesAll(const std::vector<std::string>& names, std::string_view list) {
  while (!list.empty()) {
    const std::string_view element = list.substr(0, list.find(','));
    list.remove_prefix(std::min(element.size() + 1, list.size()));
    const std::size_t begin = std::min(element.find_first_not_of(' '), element.size());
    const std::string_view name = element.substr(begin, element.find_last_not_of(' ') + 1 - begin);
    if (!name.empty() && !Names(names, name)) return false;
  }
  return true;
}

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

void AddOrigin(const Entry& entry, const std::string& origin, HttpHeaders& headers) {
  const bool is_any = std::find(entry.origins.begin(), entry.origins.end(), "*") != entry.origins.end();
  headers.Add("Access-Control-Allow-Origin", is_any ? "*" : origin);
  if (!is_any) headers.Add("Vary", "Origin");
}

void AddUnlessEmpty(HttpHeaders& headers, const char* name, const std::string& value) {
  if (!value.empty()) headers.Add(name, value);
}

// The segment after "b" in a path of the JSON API, or the bucket of a request of the XML API; or "".
std::string BucketOf(const HttpRequest& request) {
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return {};
  if (IsXmlRequest(request)) return FindXmlPlace(request, *target).bucket;
  const auto& segments = target->segments;
  const auto b = std::find(segments.begin(), segments.end(), "b");
  return segments.end() - b > 1 ? *(b + 1) : std::string();
}

}  // namespace

std::optional<HttpResponse> Cors::AnswerPreflight(const HttpRequest& request, RequestSubject& subject) const {
  if (request.method != "OPTIONS") return std::nullopt;
  const std::string* origin = request.headers.Find("origin");
  const std::string* method = request.headers.Find("access-control-request-method");
  if (origin == nullptr || method == nullptr) return std::nullopt;
  subject = {.operation = "cors.preflight", .bucket = BucketOf(request)};
  const std::string wanted = request.headers.FindAll("access-control-request-headers").value_or("");
  HttpResponse response;
  for (const Entry& entry : EntriesOf(store_, subject.bucket)) {
    if (!Names(entry.origins, *origin) || !Names(entry.methods, *method) || !NamesAll(entry.headers, wanted)) continue;
    AddOrigin(entry, *origin, response.headers);
    response.headers.Add("Access-Control-Allow-Methods", Join(entry.methods));
    AddUnlessEmpty(response.headers, "Access-Control-Allow-Headers", Join(entry.headers));
    if (entry.max_age_s) response.headers.Add("Access-Control-Max-Age", std::to_string(*entry.max_age_s));
    break;
  }
  return response;
}

void Cors::AddHeaders(const HttpRequest& request, const RequestSubject& subject, HttpResponse& response) const {
  const std::string* origin = request.headers.Find("origin");
  if (origin == nullptr || subject.bucket.empty()) return;
  for (const Entry& entry : EntriesOf(store_, subject.bucket)) {
    if (!Names(entry.origins, *origin) || !Names(entry.methods, request.method)) continue;
    AddOrigin(entry, *origin, response.headers);
    AddUnlessEmpty(response.headers, "Access-Control-Expose-Headers", Join(entry.headers));
    return;
  }
}

}  // namespace gcsflux::emulator
