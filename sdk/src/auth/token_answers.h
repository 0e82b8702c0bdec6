#pragma once

#include <chrono>
#include <string>

#include "auth/access_token.h"
#include "auth/token_requests.h"
#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// What an answer to a TokenRequest means. Failures that may pass are kUnavailable; those that will not are
/// kUnauthenticated (refused), or kBadResponse (not what such an endpoint answers). No message holds a secret of the
/// request, nor anything of an answer that is not an error in OAuth's or Google's form.

/// An answer with a status other than 200.
Error ErrorOfTokenEndpoint(const HttpResponse& response);

/// RFC 6749, section 5.1: access_token and expires_in.
Result<AccessToken> ParseTokenAnswer(const HttpResponse& response, AccessToken::Time now);
/// generateAccessToken's: accessToken and expireTime.
Result<AccessToken> ParseImpersonationAnswer(const HttpResponse& response, AccessToken::Time now);
/// The metadata server's, which shows by a header that it is Google's.
Result<AccessToken> ParseMetadataAnswer(const HttpResponse& response, AccessToken::Time now);
/// A subject token out of a file or an answer: all of it, or a member of a JSON object.
Result<std::string> ParseSubjectToken(std::string_view text, const std::string& json_field);

}  // namespace gcsflux::internal
