#include "faults/tools/status_response.h"

#include <chrono>
#include <string>

#include "http/error_answer.h"

namespace gcsflux::emulator {
namespace {

// https://cloud.google.com/storage/docs/json_api/v1/status-codes
ApiError ErrorOf(int status) {
  switch (status) {
    case 401: return {status, "authError", "Invalid Credentials"};
    case 403: return {status, "forbidden", "Forbidden"};
    case 404: return {status, "notFound", "Not Found"};
    case 408: return RequestTimedOut();
    case 409: return {status, "conflict", "Conflict"};
    case 410: return {status, "gone", "Gone"};
    case 412: return {status, "conditionNotMet", "Precondition Failed"};
    case 416: return {status, "requestedRangeNotSatisfiable", "Request range not satisfiable"};
    case 429: return {status, "rateLimitExceeded", "Too many Requests"};
    case 500: return {status, "backendError", "Internal error encountered."};
    case 502: return {status, "badGateway", "Bad Gateway"};
    case 503: return {status, "backendError", "Service Unavailable"};
    case 504: return {status, "gatewayTimeout", "Gateway Timeout"};
    default: return {status, status < 500 ? "invalid" : "backendError", "Injected by a fault plan."};
  }
}

HttpResponse DefaultResponse(int status, bool is_xml) {
  if (!MayHaveBody(static_cast<std::uint64_t>(status))) return {.status = status};
  return ErrorAnswer(is_xml, ErrorOf(status));
}

}  // namespace

bool MayHaveBody(std::uint64_t status) { return status != 204 && status != 304; }

HttpResponse StatusResponse(const FaultAction& action, bool is_xml) {
  HttpResponse response = DefaultResponse(static_cast<int>(action.status.value_or(503)), is_xml);
  if (action.body) response.body = *action.body;
  if (action.content_type) {
    response.headers.Remove("content-type");
    response.headers.Add("Content-Type", *action.content_type);
  }
  if (action.retry_after) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*action.retry_after);
    response.headers.Add("Retry-After", std::to_string(seconds.count()));
  }
  return response;
}

}  // namespace gcsflux::emulator
