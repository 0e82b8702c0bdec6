#include "server/router.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gcsflux::emulator {
namespace {

struct Entry {
  std::string_view method;
  std::string_view pattern;
  Operation operation;
};

constexpr std::array kRoutes = {
    Entry{"GET", "storage/v1/b", Operation::kListBuckets},
    Entry{"POST", "storage/v1/b", Operation::kInsertBucket},
    Entry{"GET", "storage/v1/b/{bucket}", Operation::kGetBucket},
    Entry{"PATCH", "storage/v1/b/{bucket}", Operation::kPatchBucket},
    Entry{"PUT", "storage/v1/b/{bucket}", Operation::kUpdateBucket},
    Entry{"DELETE", "storage/v1/b/{bucket}", Operation::kDeleteBucket},
    Entry{"GET", "storage/v1/b/{bucket}/iam/testPermissions", Operation::kTestBucketPermissions},
    Entry{"GET", "storage/v1/b/{bucket}/o", Operation::kListObjects},
    Entry{"GET", "storage/v1/b/{bucket}/o/{object}", Operation::kGetObject},
    Entry{"GET", "download/storage/v1/b/{bucket}/o/{object}", Operation::kDownloadObject},
    Entry{"PATCH", "storage/v1/b/{bucket}/o/{object}", Operation::kPatchObject},
    Entry{"PUT", "storage/v1/b/{bucket}/o/{object}", Operation::kUpdateObject},
    Entry{"DELETE", "storage/v1/b/{bucket}/o/{object}", Operation::kDeleteObject},
    Entry{"POST", "storage/v1/b/{bucket}/o/{object}/compose", Operation::kComposeObject},
    Entry{"POST", "storage/v1/b/{source_bucket}/o/{source_object}/copyTo/b/{bucket}/o/{object}",
          Operation::kCopyObject},
    Entry{"POST", "storage/v1/b/{source_bucket}/o/{source_object}/rewriteTo/b/{bucket}/o/{object}",
          Operation::kRewriteObject},
    Entry{"POST", "upload/storage/v1/b/{bucket}/o", Operation::kInsertObject},
    Entry{"PUT", "upload/storage/v1/b/{bucket}/o", Operation::kUploadChunk},
    Entry{"DELETE", "upload/storage/v1/b/{bucket}/o", Operation::kCancelUpload},
};

// What the pattern's places hold in this path; nothing where it is another path.
std::optional<Route> Match(const Entry& entry, const std::vector<std::string>& segments) {
  Route route{.operation = entry.operation};
  std::string_view pattern = entry.pattern;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (pattern.empty()) return std::nullopt;
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(std::min(expected.size() + 1, pattern.size()));
    if (expected == "{bucket}") {
      route.bucket = segments[i];
    } else if (expected == "{object}") {
      route.object = segments[i];
    } else if (expected == "{source_bucket}") {
      route.source_bucket = segments[i];
    } else if (expected == "{source_object}") {
      route.source_object = segments[i];
    } else if (expected != segments[i]) {
      return std::nullopt;
    }
  }
  return pattern.empty() ? std::optional(route) : std::nullopt;
}

}  // namespace

ApiResult<Route> FindRoute(std::string_view method, const std::vector<std::string>& segments) {
  bool is_path_known = false;
  for (const Entry& entry : kRoutes) {
    std::optional<Route> route = Match(entry, segments);
    if (!route) continue;
    is_path_known = true;
    if (entry.method == method || (entry.method == "GET" && method == "HEAD")) return *std::move(route);
  }
  if (is_path_known) return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  return tl::unexpected(ApiError{404, "notFound", "Not Found"});
}

}  // namespace gcsflux::emulator
