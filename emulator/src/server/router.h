#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api_error.h"

namespace gcsflux::emulator {

/// What a request asks for.
enum class Operation {
  kListBuckets,
  kInsertBucket,
  kGetBucket,
  kPatchBucket,
  kUpdateBucket,
  kDeleteBucket,
  kTestBucketPermissions,
  kListObjects,
  kGetObject,
  kDownloadObject,
  kPatchObject,
  kDeleteObject,
  kUpdateObject,
  kComposeObject,
  kCopyObject,
  kRewriteObject,
  kInsertObject,  ///< Media, multipart, or the start of a resumable session: `uploadType` tells.
  kUploadChunk,   ///< To a resumable session: bytes, or a question for its state.
  kCancelUpload,
};

struct Route {
  Operation operation = Operation::kListBuckets;
  std::string bucket = {};
  std::string object = {};
  std::string source_bucket = {};  ///< Of a copy or a rewrite, whose destination the two above are.
  std::string source_object = {};
};

/// A method of the JSON API that is not served, so that its callers hear that and tests of retries can name it.
struct UnservedMethod {
  std::string_view name = {};  ///< "storage.buckets.getIamPolicy"; lives for ever.
  std::string bucket = {};
  std::string object = {};
};

/// Nothing where there is no such method.
std::optional<UnservedMethod> FindUnservedMethod(std::string_view method, const std::vector<std::string>& segments);

/// By the method and the decoded segments of the path. 404 for an unknown path, 405 for a method it does not have.
ApiResult<Route> FindRoute(std::string_view method, const std::vector<std::string>& segments);

}  // namespace gcsflux::emulator
