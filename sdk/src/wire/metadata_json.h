#pragma once

#include <string_view>
#include <vector>

#include "gcsflux/client.h"

// JSON answers to types. Every error is kBadResponse and shows at most 256 bytes of the answer.
namespace gcsflux::internal {

struct BucketPage {
  std::vector<BucketMetadata> buckets = {};
  std::string next_page_token = {};
};

/// An answer to one step of a rewrite.
struct RewriteStep {
  RewriteProgress progress = {};
  std::optional<ObjectMetadata> object = {};  ///< Once it is done.
};

/// What those below return for an answer that is wrong somewhere.
Error NotTheServicesJson(std::string_view why, std::string_view text);

/// What an answer must be about: kBadResponse where it is about something else, or does not say.
struct AskedObject {
  const ObjectName& object;
  std::optional<std::int64_t> generation = {};  ///< Where one was asked for, by number or by condition.
};

Result<RewriteStep> ParseRewriteStep(std::string_view json, const AskedObject& asked);
Result<std::vector<std::string>> ParsePermissions(std::string_view json);
Result<ObjectMetadata> ParseObject(std::string_view json, const AskedObject& asked);
/// `has_sizes`: they were asked for, and so an object without one is kBadResponse.
Result<ObjectPage> ParseObjectPage(std::string_view json, bool has_sizes = true);
Result<BucketMetadata> ParseBucket(std::string_view json, const std::string& asked);
Result<BucketPage> ParseBucketPage(std::string_view json);

}  // namespace gcsflux::internal
