#include "json_api/router.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gcsflux::emulator {
namespace {

// Takes the pattern's next part off its front.
std::string_view TakePart(std::string_view& pattern) {
  const std::string_view part = pattern.substr(0, pattern.find('/'));
  pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
  return part;
}

// Called for most patterns in each request, so it copies nothing.
bool Fits(std::string_view pattern, const std::vector<std::string>& segments) {
  for (const std::string& segment : segments) {
    if (pattern.empty()) return false;
    const std::string_view expected = TakePart(pattern);
    if (!expected.starts_with('{') && expected != segment) return false;
  }
  return pattern.empty();
}

// The names that the path has in the pattern's places. Nothing if the path does not fit the pattern.
std::optional<Route> Match(std::string_view pattern, const std::vector<std::string>& segments) {
  if (!Fits(pattern, segments)) return std::nullopt;
  Route route;
  for (const std::string& segment : segments) {
    const std::string_view expected = TakePart(pattern);
    if (expected == "{bucket}") {
      route.bucket = segment;
    } else if (expected == "{object}") {
      route.object = segment;
    } else if (expected == "{source_bucket}") {
      route.source_bucket = segment;
    } else if (expected == "{source_object}") {
      route.source_object = segment;
    } else if (expected == "{project}") {
      route.project = segment;
    } else if (expected == "{item}") {
      route.item = segment;
    }
  }
  return route;
}

}  // namespace

ApiResult<Route> FindRoute(std::span<const JsonOperation> operations, std::string_view method,
                           const std::vector<std::string>& segments) {
  bool is_path_known = false;
  for (const JsonOperation& operation : operations) {
    std::optional<Route> route = Match(PathOf(operation), segments);
    if (!route) continue;
    is_path_known = true;
    route->operation = &operation;
    const std::string_view served = MethodOf(operation);
    if (served == method || (served == "GET" && method == "HEAD")) return *std::move(route);
  }
  if (is_path_known) return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  return tl::unexpected(ApiError{404, "notFound", "Not Found"});
}

ApiResult<Route> FindRoute(std::span<const JsonOperation> operations, std::string_view method, const Target& target) {
  ApiResult<Route> route = FindRoute(operations, method, target.segments);
  if (!route) return route;
  const Transfer transfer = route->operation->transfer;
  if (transfer != Transfer::kInsert && transfer != Transfer::kSession) return route;
  const bool begins = method != "PUT" || target.query.Value("uploadType") != "resumable";
  const bool names_session = target.query.Find("upload_id") != nullptr;
  const Transfer asked = begins && !names_session ? Transfer::kInsert : Transfer::kSession;
  const auto row = std::find_if(operations.begin(), operations.end(),
                                [&](const JsonOperation& operation) { return operation.transfer == asked; });
  if (row != operations.end()) route->operation = &*row;
  return route;
}

std::optional<UnservedMethod> FindUnservedMethod(std::string_view method, const std::vector<std::string>& segments) {
  for (const Operation& operation : UnservedOperations()) {
    if (MethodOf(operation) != method) continue;
    std::optional<Route> route = Match(PathOf(operation), segments);
    if (route) return UnservedMethod{operation.name, std::move(route->bucket), std::move(route->object)};
  }
  return std::nullopt;
}

}  // namespace gcsflux::emulator
