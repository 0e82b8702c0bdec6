#include "retry/remedy.h"

#include <string>

#include "base/composite_prefix.h"
#include "base/process/open_files.h"
#include "retry/throttle_cause.h"

namespace gcsflux::internal {
namespace {

std::string_view RemedyForThrottling(const Error& error, std::string_view subject) {
  if (subject.find("/" + std::string(kCompositePrefix)) != std::string_view::npos) {
    return "turn composition off: its writes are what is throttled";
  }
  switch (CauseOfThrottling(error)) {
    case ThrottleCause::kEgress:
      return "lower the number of connections, or ask for a higher egress quota "
             "(https://cloud.google.com/storage/docs/bandwidth-usage)";
    case ThrottleCause::kObjectMutation: return "write one object at most once a second, or write to other names";
    case ThrottleCause::kRequestRate: break;
  }
  return "send fewer requests at a time, or warm the bucket up: no more than twice the rate every 20 minutes "
         "(https://cloud.google.com/storage/docs/request-rate)";
}

}  // namespace

std::string_view Remedy(const Error& error, std::string_view subject, bool was_ambiguous) {
  switch (error.code) {
    case ErrorCode::kUnauthenticated:
      if (error.http_status == 0) return "";  // There was no token; the message says where it was searched.
      return "give a credential or token that is valid now (`gcloud auth application-default login`, or "
             "ClientOptions::credentials and --credentials)";
    case ErrorCode::kTokenUnavailable:
      return "check the network and that endpoint's health, or raise the retry deadline";
    case ErrorCode::kPermissionDenied: return "grant the caller a role such as roles/storage.objectUser on the bucket";
    case ErrorCode::kNotFound: return "check the name (gcsflux ls lists what is there)";
    case ErrorCode::kBucketNotEmpty:
      return "delete its objects first, noncurrent generations included (gcsflux rm --recursive)";
    case ErrorCode::kPreconditionFailed:
      return was_ambiguous ? "an earlier attempt with a lost answer may have done it, or another writer wrote it: "
                             "read it again and decide again (UploadObject does)"
                           : "another writer wrote it meanwhile: read it again and decide again";
    case ErrorCode::kRateLimited: return RemedyForThrottling(error, subject);
    case ErrorCode::kUnreachable:
      if (error.reason == kTooManyOpenFiles) return kRemedyForOpenFiles;
      return "check the endpoint (--endpoint, STORAGE_EMULATOR_HOST), the network and the proxy settings";
    case ErrorCode::kUnavailable: return "check the service's health, or raise the retry deadline";
    case ErrorCode::kTruncated: return "a proxy or the server cuts answers short: check what is between";
    case ErrorCode::kTlsFailed:
      return "check the endpoint's certificate and the clock; --ca_file (ClientOptions::ca_file) names other "
             "authorities";
    case ErrorCode::kProxyFailed:
      return "check the proxy's address and password (--proxy, http_proxy, https_proxy), or except the endpoint from "
             "it (--no_proxy, no_proxy)";
    case ErrorCode::kCorrupted: return "do not use the bytes; try again, and check the hardware if it happens twice";
    case ErrorCode::kUnverified:
      return "ask whether a proxy removes x-goog-hash, or read without --require_checksum "
             "(ClientOptions::require_checksum)";
    case ErrorCode::kAborted: return "read the new object from its start";
    case ErrorCode::kSessionLost: return "nothing was stored: write the object again from its start";
    case ErrorCode::kOutcomeUnknown:
      return "read the object and decide; a write that names the generation it replaces (WriteMode::kReplace) is "
             "seldom left in doubt";
    case ErrorCode::kBadResponse: return "is that a service of Google's? Check --endpoint and any proxy";
    default: return "";
  }
}

}  // namespace gcsflux::internal
