#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/api_error.h"
#include "http/target.h"
#include "operations/operation.h"

namespace gcsflux::emulator {

struct Route {
  const JsonOperation* operation = nullptr;
  std::string bucket = {};
  std::string object = {};
  std::string source_bucket =
      {};  ///< The source of a copy or a rewrite; the two above are the destination. "" for a move.
  std::string source_object = {};
  std::string project = {};
  std::string item = {};  ///< What the path names below a bucket, an object or a project: an entity, a notification.
};

/// A method of the JSON API that the emulator does not serve. Its callers are told so, and retry tests can name it.
struct UnservedMethod {
  std::string_view name = {};  ///< "storage.buckets.getIamPolicy"; never destroyed.
  std::string bucket = {};
  std::string object = {};
};

/// Nothing if there is no such method.
std::optional<UnservedMethod> FindUnservedMethod(std::string_view method, const std::vector<std::string>& segments);

/// By the method and the decoded segments of the path. An unknown path is a 404, a method that the path does not have a
/// 405. The operations must outlive the route.
ApiResult<Route> FindRoute(std::span<const JsonOperation> operations, std::string_view method,
                           const std::vector<std::string>& segments);

/// By the query too. A request that names an upload session is for that session. One that names none begins an upload,
/// by POST or, in one request, by PUT.
ApiResult<Route> FindRoute(std::span<const JsonOperation> operations, std::string_view method, const Target& target);

}  // namespace gcsflux::emulator
