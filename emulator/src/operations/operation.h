#pragma once

#include <span>
#include <string_view>

#include "http/api_error.h"
#include "http/http_message.h"
#include "http/xml_error.h"
#include "operations/needed_permissions.h"
#include "operations/traffic_class.h"

namespace gcsflux::emulator {

struct ApiCall;
struct JsonEndpoints;
struct XmlCall;
struct XmlEndpoints;

/// What an answer of the JSON API shows. `fields` can select from it.
enum class Answer {
  kNothing,
  kAccessControl,
  kAccessControls,
  kBucket,
  kBuckets,
  kFolder,
  kFolders,
  kHmacKey,  ///< With its secret.
  kHmacKeyMetadata,
  kHmacKeys,
  kNotification,
  kNotifications,
  kObject,
  kObjects,
  kOperation,
  kOperations,
  kPermissions,
  kPolicy,
  kRewrite,
  kServiceAccount,
  kStorageLayout
};

/// Whether a request moves an object's bytes, and how.
enum class Transfer {
  kNone,
  kMediaIfAsked,  ///< Reads bytes if the query has alt=media.
  kMedia,         ///< Reads bytes.
  kInsert,        ///< Sends bytes, or starts a resumable session: `uploadType` tells.
  kSession,       ///< Sends bytes to a resumable session, or asks for its state.
  kCancel,        ///< Ends a resumable session.
};

/// One row of the table of operations: everything that the emulator knows about one kind of request. The router,
/// permissions, the journal, fault plans, quotas, delays and retry tests read it.
struct Operation {
  std::string_view name = {};   ///< "storage.objects.insert": the journal, fault plans and retry tests name it so.
  std::string_view phase = {};  ///< Of an upload that takes several requests: "part".
  /// The method and the path: "GET /storage/v1/b/{bucket}". In the XML API a query may follow: the subresource.
  std::string_view request = {};
  TrafficClass traffic_class = TrafficClass::kRead;
  bool mutates_object = false;      ///< It makes, changes or deletes an object if it succeeds.
  bool is_retry_method = false;     ///< A retry test may have instructions for it.
  std::string_view counts_as = {};  ///< The name by which retry tests count it, if that is another one.
  Transfer transfer = Transfer::kNone;
  Answer answer = Answer::kNothing;  ///< In the JSON API.
  /// Parameters that the method has on GCS, and that are refused here with 501, separated by blanks. In the JSON API.
  std::string_view refuses = {};
  NeededPermissions needs;  ///< Has no default: a row must say it.
};

/// Whether it may change something.
inline bool IsChange(const Operation& operation) {
  return operation.traffic_class != TrafficClass::kRead && operation.traffic_class != TrafficClass::kList;
}

using JsonHandler = ApiResult<HttpResponse> (*)(const JsonEndpoints&, const ApiCall&);
using XmlHandler = XmlResult<HttpResponse> (*)(const XmlEndpoints&, const XmlCall&);

struct JsonOperation : Operation {
  JsonHandler handler;
};

struct XmlOperation : Operation {
  XmlHandler handler;
  /// The parameters that it reads beside its subresource, separated by blanks. A request with another one is refused:
  /// it asks for what the emulator does not do. Those of any request, such as signatures, are not listed.
  std::string_view parameters = {};
};

// The rows are in service/, because it alone includes all handlers. To add an operation, add a row there.

/// The operations of the JSON API. https://cloud.google.com/storage/docs/json_api/v1
std::span<const JsonOperation> JsonOperations();

/// The operations of the XML API. https://cloud.google.com/storage/docs/xml-api/reference-methods
std::span<const XmlOperation> XmlOperations();

/// Operations of the JSON API that the emulator refuses with 501.
std::span<const Operation> UnservedOperations();

/// "GET"
inline std::string_view MethodOf(const Operation& operation) {
  return operation.request.substr(0, operation.request.find(' '));
}

/// "storage/v1/b/{bucket}"
inline std::string_view PathOf(const Operation& operation) {
  return operation.request.substr(operation.request.find('/') + 1);
}

}  // namespace gcsflux::emulator
