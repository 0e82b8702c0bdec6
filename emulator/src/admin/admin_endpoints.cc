#include "admin/admin_endpoints.h"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "admin/console.h"
#include "admin/seed_request.h"
#include "admin/traffic_json.h"
#include "bodies/receive_body.h"
#include "http/error_answer.h"
#include "http/json_error.h"
#include "http/json_response.h"
#include "http/parameters.h"
#include "http/which_api.h"
#include "journal/metrics.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kRoot = "/_emulator/";
constexpr std::uint64_t kMaxDocument = std::uint64_t{64} << 20;  // a schedule of 200,000 faults has some 40 MB

std::string_view PathOf(const HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// A whole number that is not negative, or `absent`.
ApiResult<std::uint64_t> CountParameter(const QueryParameters& query, std::string_view name, std::uint64_t absent) {
  const auto value = Int64Parameter(query, name);
  if (!value) return tl::unexpected(value.error());
  if (!*value) return absent;
  if (**value < 0) return tl::unexpected(BadParameter(std::string(name) + " must not be negative."));
  return static_cast<std::uint64_t>(**value);
}

}  // namespace

struct AdminEndpoints::Endpoint {
  std::string_view method;
  std::string_view path;
  ApiResult<HttpResponse> (AdminEndpoints::*answer)(const Target&, RequestBody&);
};

HttpResponse AdminEndpoints::Handle(const HttpRequest& request, RequestBody& body) {
  // On a bucket's own host it is an object's name.
  if (!PathOf(request).starts_with(kRoot) || IsXmlRequest(request)) return next_.Handle(request, body);
  try {
    ApiResult<HttpResponse> response = Answer(request, body);
    return response ? *std::move(response) : ErrorResponse(response.error());
  } catch (const std::exception&) {
    return ErrorResponse(CaughtError());
  }
}

ApiResult<HttpResponse> AdminEndpoints::Answer(const HttpRequest& request, RequestBody& body) {
  static constexpr std::array kEndpoints = {
      Endpoint{"GET", "health", &AdminEndpoints::Health},
      Endpoint{"POST", "reset", &AdminEndpoints::Reset},
      Endpoint{"POST", "snapshot", &AdminEndpoints::TakeSnapshot},
      Endpoint{"POST", "restore", &AdminEndpoints::RestoreSnapshot},
      Endpoint{"POST", "seed", &AdminEndpoints::Seed},
      Endpoint{"GET", "counters", &AdminEndpoints::ShowCounters},
      Endpoint{"GET", "journal", &AdminEndpoints::ShowJournal},
      Endpoint{"GET", "assertions", &AdminEndpoints::ShowAssertions},
      Endpoint{"GET", "metrics", &AdminEndpoints::ShowMetrics},
  };
  const std::string_view path = PathOf(request).substr(kRoot.size());
  if (request.method == "GET") {
    if (auto console = ConsoleResponse(path)) return *std::move(console);
  }
  if (!IsAuthorized(request, path)) {
    return tl::unexpected(
        ApiError{401, "authError", "The emulator was started with --admin_token_file: send its token."});
  }
  for (const AdminDocument& document : subject_.documents) {
    if (document.path == path) return AnswerDocument(document, request.method, body);
  }
  const auto* found =
      std::find_if(kEndpoints.begin(), kEndpoints.end(), [&](const Endpoint& e) { return e.path == path; });
  if (found == kEndpoints.end()) return tl::unexpected(ApiError{404, "notFound", "Not Found"});
  if (found->method != request.method) {
    return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed: use " + std::string(found->method)});
  }
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return tl::unexpected(target.error());
  return (this->*found->answer)(*target, body);
}

bool AdminEndpoints::IsAuthorized(const HttpRequest& request, std::string_view path) const {
  if (subject_.token.empty() || path == "health") return true;
  const std::string* given = request.headers.Find("authorization");
  return given != nullptr && *given == "Bearer " + subject_.token;
}

ApiResult<HttpResponse> AdminEndpoints::AnswerDocument(const AdminDocument& document, std::string_view method,
                                                       RequestBody& body) {
  const bool is_allowed = method == "GET" || (method == "PUT" && document.replace != nullptr) ||
                          (method == "DELETE" && document.clear != nullptr);
  if (!is_allowed) return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  if (method == "DELETE") {
    document.clear();
    return HttpResponse{.status = 204};
  }
  if (method == "PUT") {
    const ApiResult<std::string> text = ReceiveText(body, kMaxDocument);
    if (!text) return tl::unexpected(text.error());
    try {
      document.replace(*text);
    } catch (const std::invalid_argument& error) {
      return tl::unexpected(BadRequest(std::string(document.path) + ": " + error.what()));
    }
  }
  return JsonResponse(document.show());
}

ApiResult<HttpResponse> AdminEndpoints::Health(const Target& /*target*/, RequestBody& /*body*/) {
  return JsonResponse(R"({"status":"ok"})");
}

ApiResult<HttpResponse> AdminEndpoints::Reset(const Target& /*target*/, RequestBody& /*body*/) {
  if (const auto reset = subject_.reset(); !reset) return tl::unexpected(ToApiError(reset.error()));
  return HttpResponse{.status = 204};
}

ApiResult<HttpResponse> AdminEndpoints::TakeSnapshot(const Target& target, RequestBody& /*body*/) {
  const auto taken = subject_.take_snapshot(target.query.Value("name"));
  return taken ? ApiResult<HttpResponse>(HttpResponse{.status = 204}) : tl::unexpected(ToApiError(taken.error()));
}

ApiResult<HttpResponse> AdminEndpoints::RestoreSnapshot(const Target& target, RequestBody& /*body*/) {
  const auto restored = subject_.restore_snapshot(target.query.Value("name"));
  return restored ? ApiResult<HttpResponse>(HttpResponse{.status = 204}) : tl::unexpected(ToApiError(restored.error()));
}

ApiResult<HttpResponse> AdminEndpoints::Seed(const Target& /*target*/, RequestBody& body) {
  if (subject_.seed_root.empty()) {
    return tl::unexpected(
        ApiError{403, "forbidden", "Seeding is off: start the emulator with --allow_seed=DIRECTORY."});
  }
  const ApiResult<std::string> text = ReceiveText(body);
  if (!text) return tl::unexpected(text.error());
  const ApiResult<SeedRequest> seed = ParseSeedRequest(*text, subject_.seed_root);
  if (!seed) return tl::unexpected(seed.error());
  const Outcome<SeedResult> seeded = SeedBucket(subject_.store, *seed);
  if (!seeded) return tl::unexpected(ToApiError(seeded.error()));
  return JsonResponse(RenderSeedResult(*seeded));
}

ApiResult<HttpResponse> AdminEndpoints::ShowCounters(const Target& /*target*/, RequestBody& /*body*/) {
  return JsonResponse(RenderCounters(subject_.counters.Read()));
}

ApiResult<HttpResponse> AdminEndpoints::ShowJournal(const Target& target, RequestBody& /*body*/) {
  const ApiResult<std::uint64_t> since = CountParameter(target.query, "since", 0);
  const ApiResult<std::uint64_t> limit = CountParameter(target.query, "limit", UINT64_MAX);
  if (!since) return tl::unexpected(since.error());
  if (!limit) return tl::unexpected(limit.error());
  // With `since`, the first ones after it, so that a reader that continues misses none.
  const JournalRange range{.since = *since, .limit = *limit, .is_first = target.query.Find("since") != nullptr};
  return JsonResponse(RenderJournal(subject_.journal.Read(range, subject_.clock.Now())));
}

ApiResult<HttpResponse> AdminEndpoints::ShowAssertions(const Target& target, RequestBody& /*body*/) {
  const ApiResult<std::uint64_t> since = CountParameter(target.query, "since", 0);
  if (!since) return tl::unexpected(since.error());
  std::vector<RequestRecord> records = subject_.journal.Read({.since = *since}, subject_.clock.Now());
  const bool is_complete = subject_.journal.HasAllSince(*since);
  for (const auto& [name, member] : {std::pair("bucket", &RequestRecord::bucket), {"object", &RequestRecord::object}}) {
    const std::string* value = target.query.Find(name);
    if (value == nullptr) continue;
    std::erase_if(records, [field = member, value](const RequestRecord& record) { return record.*field != *value; });
  }
  return JsonResponse(RenderAssertions(records, is_complete));
}

ApiResult<HttpResponse> AdminEndpoints::ShowMetrics(const Target& /*target*/, RequestBody& /*body*/) {
  const StoreUsage usage = subject_.store.usage();
  HttpResponse response;
  response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = RenderMetrics(subject_.counters.table(), {.buckets = usage.buckets,
                                                            .objects = usage.objects,
                                                            .stored_bytes = usage.bytes,
                                                            .connections = subject_.count_connections()});
  return response;
}

}  // namespace gcsflux::emulator
