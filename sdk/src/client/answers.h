#pragma once

#include <string_view>

#include "http/transport.h"
#include "retry/retry_loop.h"

namespace gcsflux::internal {

/// An answer's body as a T, the failure to read it told like any other of the call.
template <class T>
Result<T> ParseAnswer(const Call& call, const Result<HttpResponse>& response, Result<T> (*parse)(std::string_view)) {
  if (!response) return response.error();
  auto value = parse(response->body);
  if (!value) return InCall(call, value.error());
  return value;
}

}  // namespace gcsflux::internal
