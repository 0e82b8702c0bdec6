#include "quotas/quota_refusal.h"

#include <cmath>
#include <string>

#include "http/json_error.h"
#include "http/xml_error.h"

namespace gcsflux::emulator {
namespace {

constexpr const char* kAdvice = " Please reduce your request rate. See https://cloud.google.com/storage/docs/gcs429.";

// As clients have reported them, except for the one about a bucket's updates: it is modelled on the others
// (unverified).
std::string MessageOf(QuotaCause cause, const QuotaRequest& request) {
  switch (cause) {
    case QuotaCause::kReads:
    case QuotaCause::kWrites:
    case QuotaCause::kRangeReads:
    case QuotaCause::kRangeWrites: return "Too many Requests";
    case QuotaCause::kObjectMutations:
      return "The object " + request.bucket + "/" + request.name +
             " exceeded the rate limit for object mutation operations (create, update, and delete)." + kAdvice;
    case QuotaCause::kBucketUpdates:
      return "The bucket " + request.bucket + " exceeded the rate limit for bucket metadata update operations." +
             kAdvice;
    case QuotaCause::kEgress: return "This workload is drawing too much egress bandwidth from Google Cloud Storage.";
  }
  return "Too many Requests";
}

// The code already says that there are too many requests. The details say what else is wrong.
std::string DetailsOf(QuotaCause cause, const std::string& message) {
  const bool is_about_requests =
      cause != QuotaCause::kObjectMutations && cause != QuotaCause::kBucketUpdates && cause != QuotaCause::kEgress;
  return is_about_requests ? std::string() : message;
}

}  // namespace

HttpResponse QuotaRefusal(const QuotaVerdict& verdict, const QuotaRequest& request, bool is_xml) {
  const QuotaCause cause = verdict.refused_by.value_or(QuotaCause::kReads);
  const std::string message = MessageOf(cause, request);
  HttpResponse response = is_xml ? XmlErrorResponse({XmlErrorCode::kSlowDown, DetailsOf(cause, message)})
                                 : ErrorResponse(ApiError{429, "rateLimitExceeded", message});
  if (verdict.retry_after_s) {
    response.headers.Add("Retry-After", std::to_string(std::llround(std::ceil(*verdict.retry_after_s))));
  }
  return response;
}

}  // namespace gcsflux::emulator
