#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gcsflux/object.h"
#include "gcsflux/operation_options.h"

// Converts JSON answers to types. Every error is kBadResponse and shows at most 256 bytes of the answer.
namespace gcsflux::internal {

struct BucketPage {
  std::vector<BucketMetadata> buckets = {};
  std::string next_page_token = {};
};

/// The answer to one step of a rewrite.
struct RewriteStep {
  Progress progress = {};
  std::optional<ObjectMetadata> object = {};  ///< Present when the rewrite is done.
};

/// The error of the functions below for a wrong answer.
Error NotTheServicesJson(std::string_view why, std::string_view text);

/// The object that an answer must be about. If it is about another object, or does not tell, the result is
/// kBadResponse.
struct AskedObject {
  const ObjectName& object;
  std::optional<std::int64_t> generation = {};  ///< If the request named one, as a number or as a precondition.
  bool has_size = false;  ///< The size was requested: without it, a missing size would read as an empty object.
};

/// Whether an object is said to be empty, although its CRC32C is not that of zero bytes. A reader would not ask for a
/// byte of it.
inline bool IsFalselyEmpty(bool has_size, std::uint64_t size, const std::optional<std::uint32_t>& crc32c) {
  return has_size && size == 0 && crc32c.value_or(0) != 0;
}
inline constexpr char kFalselyEmpty[] = "an object without bytes has the CRC32C of others";

/// Whether a request with these `fields` of an object asks for its size. Empty fields mean all. A key of the metadata
/// may be called "size" too.
bool AsksForSize(std::string_view fields);
/// Whether an object without a size may be an empty one: some servers leave out what is 0.
inline bool MayBeEmpty(const std::optional<std::uint32_t>& crc32c) { return crc32c == 0U; }

Result<RewriteStep> ParseRewriteStep(std::string_view json, const AskedObject& asked);

/// What a bucket does with new objects, beside BucketMetadata.
struct NewObjectRules {
  bool has_autoclass = false;
  bool has_object_acls = false;               ///< Not with uniform bucket-level access.
  std::vector<std::string> default_acl = {};  ///< Entities of the default object ACL.
  bool has_notifications = false;
};
/// Reads the first two from a bucket's resource.
Result<NewObjectRules> ParseNewObjectRules(std::string_view json);
Result<std::vector<std::string>> ParseDefaultAcl(std::string_view json);
Result<bool> ParseHasNotifications(std::string_view json);
Result<std::vector<std::string>> ParsePermissions(std::string_view json);
Result<ObjectMetadata> ParseObject(std::string_view json, const AskedObject& asked);
/// `has_sizes`: sizes were requested, so an object without one is kBadResponse.
Result<ObjectListing> ParseObjectPage(std::string_view json, bool has_sizes = true);
Result<BucketMetadata> ParseBucket(std::string_view json, const std::string& asked);
Result<BucketPage> ParseBucketPage(std::string_view json);
/// The answer to a deletion, which is empty, or JSON, which is ignored. A page of HTML comes from another server, which
/// has deleted nothing.
Result<void> ParseNothing(std::string_view text);

}  // namespace gcsflux::internal
