#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/api_error.h"
#include "http/target.h"

namespace gcsflux::emulator {

/// What a request asks for.
enum class Operation {
  kListBuckets,
  kInsertBucket,
  kGetBucket,
  kPatchBucket,
  kUpdateBucket,
  kDeleteBucket,
  kGetStorageLayout,
  kListManagedFolders,
  kListFolders,
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
  kMoveObject,
  kInsertObject,  ///< Media, multipart, or the start of a resumable session: `uploadType` tells.
  kUploadChunk,   ///< To a resumable session: bytes, or a question for its state.
  kCancelUpload,
};

struct Route {
  Operation operation = Operation::kListBuckets;
  std::string bucket = {};
  std::string object = {};
  std::string source_bucket = {};  ///< Of a copy or a rewrite, whose destination the two above are; "" of a move.
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

/// The same, by the query too: what names an upload session is for that session, and what names none begins an upload,
/// by POST or, in one request, by PUT.
ApiResult<Route> FindRoute(std::string_view method, const Target& target);

}  // namespace gcsflux::emulator
