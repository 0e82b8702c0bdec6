#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "gcsflux/result.h"

// Google's prices by operation: https://cloud.google.com/storage/pricing#operations-by-class, as of 2026.
namespace gcsflux::internal {

/// In the page's words.
enum class BillingClass { kFree, kA, kB };

struct BilledOperation {
  std::string_view name;
  BillingClass billing;
};

/// Every operation that the SDK sends. Those of the XML API (multipartUploads) are billed by their method.
inline constexpr std::array kBilledOperations = {
    BilledOperation{"buckets.insert", BillingClass::kA},
    BilledOperation{"buckets.get", BillingClass::kB},
    BilledOperation{"buckets.list", BillingClass::kA},
    BilledOperation{"buckets.delete", BillingClass::kFree},
    BilledOperation{"buckets.testIamPermissions", BillingClass::kB},
    BilledOperation{"notifications.list", BillingClass::kB},
    BilledOperation{"objects.insert", BillingClass::kA},
    BilledOperation{"objects.get", BillingClass::kB},
    BilledOperation{"objects.list", BillingClass::kA},
    BilledOperation{"objects.patch", BillingClass::kA},
    BilledOperation{"objects.update", BillingClass::kA},
    BilledOperation{"objects.compose", BillingClass::kA},
    BilledOperation{"objects.copy", BillingClass::kA},
    BilledOperation{"objects.rewrite", BillingClass::kA},
    BilledOperation{"objects.move", BillingClass::kA},
    BilledOperation{"objects.delete", BillingClass::kFree},
    BilledOperation{"uploads.cancel", BillingClass::kFree},            // DELETE of a session
    BilledOperation{"multipartUploads.create", BillingClass::kA},      // POST
    BilledOperation{"multipartUploads.uploadPart", BillingClass::kA},  // PUT
    BilledOperation{"multipartUploads.listParts", BillingClass::kB},   // GET Object
    BilledOperation{"multipartUploads.list", BillingClass::kB},        // GET Bucket, of ongoing uploads
    BilledOperation{"multipartUploads.complete", BillingClass::kA},    // POST
    BilledOperation{"multipartUploads.abort", BillingClass::kFree},    // DELETE
};

/// Nothing if the table does not have the operation.
constexpr std::optional<BillingClass> BillingClassOf(std::string_view operation) {
  const auto* const found = std::find_if(kBilledOperations.begin(), kBilledOperations.end(),
                                         [&](const BilledOperation& billed) { return billed.name == operation; });
  if (found == kBilledOperations.end()) return std::nullopt;
  return found->billing;
}

/// An operation and its billing class. The table is searched at compile time: an unknown name is a compile error, and a
/// request costs no search.
struct OperationName {
  constexpr OperationName() = default;
  consteval OperationName(const char* operation) : name(operation), billing(BillingClassOf(operation).value()) {}

  std::string_view name = {};  ///< GCS's name: "objects.get".
  BillingClass billing = BillingClass::kFree;
};

/// Whether a request with this outcome is charged. The page says: "Generally, you are not charged for operations that
/// return 307, 4xx, or 5xx responses". A request with a lost answer counts, because the service may have carried it
/// out. One that reached no service does not count.
constexpr bool IsCharged(int status, std::optional<ErrorCode> failure) {
  if (failure) {
    return *failure != ErrorCode::kUnreachable && *failure != ErrorCode::kProxyFailed &&
           *failure != ErrorCode::kTlsFailed;
  }
  return status < 400 && status != 307;
}

}  // namespace gcsflux::internal
