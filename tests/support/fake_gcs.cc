#include "support/fake_gcs.h"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/crc32c.h"
#include "base/text/base64.h"
#include "base/text/rfc3339.h"
#include "client/client_core.h"
#include "support/borrowed_transport.h"
#include "support/driven_timing.h"

namespace gcsflux::testing {
namespace {

using internal::HttpRequest;
using internal::HttpResponse;
using internal::Method;
using Json = nlohmann::json;

constexpr std::string_view kHost = "http://fake";
constexpr std::string_view kObjects = "/storage/v1/b/bkt/o/";
constexpr std::string_view kUploads = "/upload/storage/v1/b/bkt/o?";
constexpr std::string_view kSessions = "/session/";

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return std::string(value);
  }
  return "";
}

std::optional<std::int64_t> QueryNumber(const std::string& target, const std::string& name) {
  auto found = target.find("?" + name + "=");
  if (found == std::string::npos) found = target.find("&" + name + "=");
  if (found == std::string::npos) return std::nullopt;
  return std::stoll(target.substr(found + name.size() + 2));
}

HttpResponse Failure(int status) {
  const std::string code = std::to_string(status);
  return {
      .status = status,
      .body = R"({"error":{"code":)" + code + R"(,"message":"fake )" + code + R"(","errors":[{"reason":"fake"}]}})"};
}

std::string Crc32cOf(const std::string& bytes) {
  return internal::Crc32cToBase64(internal::ExtendCrc32c(0, AsBytes(bytes)));
}

// As "Fri, 20 Nov 2026 06:15:00 GMT".
std::string HttpDate(std::chrono::sys_seconds time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return text.data();
}

FakeGcs::Object FromResource(const Json& resource) {
  FakeGcs::Object object{.content_type = resource.value("contentType", "")};
  if (resource.contains("metadata"))
    object.metadata = resource.at("metadata").get<std::map<std::string, std::string>>();
  return object;
}

}  // namespace

Result<HttpResponse> FakeGcs::Perform(const HttpRequest& request, internal::BodyReceiver* receiver,
                                      const std::stop_token& stop) {
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
  const std::scoped_lock lock(mutex_);
  requests.push_back(request);
  requests.back().payload = {};
  if (on_request) on_request();
  Fault fault;
  if (!faults.empty()) {
    fault = faults.front();
    faults.pop_front();
  }
  if (fault.before) return *fault.before;
  HttpResponse response = fault.status ? Failure(*fault.status) : Serve(request, fault);
  if (fault.after_status) response = Failure(*fault.after_status);
  if (has_date) response.headers.emplace_back("date", HttpDate(now));
  if (fault.after) return *fault.after;
  if (receiver == nullptr) return response;
  std::string body = std::move(response.body);
  response.body.clear();
  const auto taken = receiver->OnHeaders(response);
  if (!taken) return taken.error();
  if (fault.flip_at && *fault.flip_at < body.size()) body[*fault.flip_at] ^= 1;
  const bool is_cut = fault.cut_at && *fault.cut_at < body.size();
  if (is_cut) body.resize(*fault.cut_at);
  if (*taken && !body.empty()) {
    if (const auto written = receiver->OnBody(AsBytes(body)); !written) return written.error();
  }
  if (is_cut) return Error{ErrorCode::kTruncated, "cut"};
  if (!*taken) response.body = std::move(body);
  return response;
}

HttpResponse FakeGcs::Serve(const HttpRequest& request, const Fault& fault) {
  const std::string target = request.url.substr(kHost.size());
  if (target.starts_with(kSessions)) return PutSession(target.substr(kSessions.size()), request, fault);
  if (target.starts_with(kUploads)) {
    return target.find("uploadType=resumable") != std::string::npos ? StartSession(target, request)
                                                                    : Insert(target, request);
  }
  if (!target.starts_with(kObjects)) return Failure(404);
  const std::string name = target.substr(kObjects.size(), target.find('?') - kObjects.size());
  if (name.ends_with("/compose")) return Compose(target, request);
  const auto found = objects.find(name);
  if (found == objects.end()) return Failure(404);
  const auto generation = QueryNumber(target, "generation");
  if (generation && *generation != found->second.generation) return Failure(404);
  if (request.method == Method::kDelete) {
    objects.erase(found);
    return {.status = 204};
  }
  return target.find("alt=media") != std::string::npos ? Read(found->second, request) : Resource(name);
}

HttpResponse FakeGcs::Read(const Object& object, const HttpRequest& request) const {
  HttpResponse response{.status = 200,
                        .headers = {{"x-goog-generation", std::to_string(object.generation)},
                                    {"x-goog-hash", "crc32c=" + Crc32cOf(object.bytes)}},
                        .body = object.bytes};
  const std::string range = HeaderOf(request, "Range");
  if (range.empty()) {
    response.headers.emplace_back("content-length", std::to_string(object.bytes.size()));
    return response;
  }
  const std::size_t begin = std::stoull(range.substr(range.find('=') + 1));
  const std::string end_text = range.substr(range.find('-') + 1);
  if (begin >= object.bytes.size()) return Failure(416);
  const std::size_t end =
      end_text.empty() ? object.bytes.size() : std::min(object.bytes.size(), std::size_t{std::stoull(end_text)} + 1);
  response.status = 206;
  response.body = object.bytes.substr(begin, end - begin);
  response.headers.emplace_back("content-range", "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) +
                                                     "/" + std::to_string(object.bytes.size()));
  return response;
}

HttpResponse FakeGcs::Insert(const std::string& target, const HttpRequest& request) {
  const auto json_begin = request.head.find("\r\n\r\n") + 4;
  const Json resource =
      Json::parse(request.head.substr(json_begin, request.head.find("\r\n--", json_begin) - json_begin));
  const std::string name = resource.at("name");
  const auto found = objects.find(name);
  const std::int64_t live = found == objects.end() ? 0 : found->second.generation;
  const auto condition = QueryNumber(target, "ifGenerationMatch");
  if (condition && *condition != live) return Failure(412);
  Object object = FromResource(resource);
  object.bytes.assign(reinterpret_cast<const char*>(request.payload.data()), request.payload.size());
  if (resource.at("crc32c") != Crc32cOf(object.bytes)) return Failure(400);
  Commit(name, std::move(object));
  return Resource(name);
}

HttpResponse FakeGcs::Compose(const std::string& target, const HttpRequest& request) {
  const Json body = Json::parse(request.head);
  const std::string name = body.at("destination").at("name");
  const auto source = objects.find(body.at("sourceObjects").at(0).at("name").get<std::string>());
  if (source == objects.end()) return Failure(404);
  const auto condition = QueryNumber(target, "ifGenerationMatch");
  const auto found = objects.find(name);
  if (condition && *condition != (found == objects.end() ? 0 : found->second.generation)) return Failure(412);
  Object object = FromResource(body.at("destination"));
  object.bytes = source->second.bytes;
  if (body.value("deleteSourceObjects", false)) objects.erase(source);
  Commit(name, std::move(object));
  return Resource(name);
}

HttpResponse FakeGcs::StartSession(const std::string& target, const HttpRequest& request) {
  const Json resource = Json::parse(request.head);
  const std::string id = std::to_string(sessions.size()) + "-" + std::string(resource.at("name"));
  Object session = FromResource(resource);
  session.generation = QueryNumber(target, "ifGenerationMatch").value_or(-1);
  sessions[id] = std::move(session);
  return {.status = 200, .headers = {{"location", std::string(kHost) + std::string(kSessions) + id}}};
}

HttpResponse FakeGcs::PutSession(const std::string& id, const HttpRequest& request, const Fault& fault) {
  const auto found = sessions.find(id);
  if (found == sessions.end()) return Failure(410);
  const std::string name = id.substr(id.find('-') + 1);
  if (request.method == Method::kDelete) {
    sessions.erase(found);
    return Failure(499);
  }
  std::string& bytes = found->second.bytes;
  const std::string range = HeaderOf(request, "Content-Range");  // "bytes a-b/total", "bytes */total"
  const std::string total = range.substr(range.find('/') + 1);
  if (range.find('-') != std::string::npos) {
    const std::size_t begin = std::stoull(range.substr(6));
    if (begin > bytes.size()) return Failure(503);
    const std::size_t known = bytes.size() - begin;
    const std::size_t fresh = std::min(request.payload.size() - known, fault.persist.value_or(~std::size_t{0}));
    bytes.append(reinterpret_cast<const char*>(request.payload.data()) + known, fresh);
  }
  const bool is_committed = objects.contains(name) && found->second.metadata.contains("done");
  if (is_committed) return Resource(name);
  if (total != "*" && bytes.size() == std::stoull(total)) {
    if (HeaderOf(request, "x-goog-hash") != "crc32c=" + Crc32cOf(bytes)) return Failure(400);
    Object object = found->second;
    found->second.metadata["done"] = "";
    Commit(name, std::move(object));
    return Resource(name);
  }
  HttpResponse response{.status = 308};
  if (!bytes.empty() && !fault.forget_range) {
    response.headers.emplace_back("range", "bytes=0-" + std::to_string(bytes.size() - 1));
  }
  return response;
}

const FakeGcs::Object& FakeGcs::Commit(const std::string& name, Object object) {
  object.generation = ++next_generation_;
  object.created = now;
  ++commits;
  return objects[name] = std::move(object);
}

HttpResponse FakeGcs::Resource(const std::string& name) const {
  const Object& object = objects.at(name);
  const Json resource = {{"bucket", "bkt"},
                         {"name", name},
                         {"generation", std::to_string(object.generation)},
                         {"size", std::to_string(object.bytes.size())},
                         {"crc32c", Crc32cOf(object.bytes)},
                         {"contentType", object.content_type},
                         {"metadata", object.metadata},
                         {"timeCreated", internal::FormatRfc3339(object.created)}};
  return {.status = 200, .body = resource.dump()};
}

Client MakeClient(FakeGcs& gcs, const RetryOptions& retry, IdempotencyPolicy idempotency) {
  return ClientOf(std::make_shared<const ClientCore>(ClientCore::Settings{.endpoint = std::string(kHost),
                                                                          .project = "project",
                                                                          .retry = RetryPolicies::All(retry),
                                                                          .idempotency = idempotency},
                                                     std::make_unique<BorrowedTransport>(gcs),
                                                     std::make_unique<DrivenTiming>()));
}

}  // namespace gcsflux::testing
