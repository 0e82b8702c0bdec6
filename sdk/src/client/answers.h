#pragma once

#include <string_view>

#include "http/transport.h"
#include "retry/retry_loop.h"
#include "wire/metadata_json.h"

namespace gcsflux::internal {

/// An answer's body as a T, the failure to read it told like any other of the call.
template <class Parse>
auto ParseAnswer(const Call& call, const Result<HttpResponse>& response, Parse parse)
    -> decltype(parse(std::string_view())) {
  if (!response) return response.error();
  auto value = parse(response->body);
  if (!value) return InCall(call, value.error());
  return value;
}

/// The same as an object, which must be the one that was asked for.
inline Result<ObjectMetadata> ParseObjectAnswer(const Call& call, const Result<HttpResponse>& response,
                                                const AskedObject& asked) {
  return ParseAnswer(call, response, [&](std::string_view body) { return ParseObject(body, asked); });
}

/// By the options of a call on one object, its generation where they name one.
template <class Options>
AskedObject AskedBy(const ObjectName& object, const Options& options) {
  return {object, options.generation ? options.generation : options.preconditions.if_generation_match};
}

}  // namespace gcsflux::internal
