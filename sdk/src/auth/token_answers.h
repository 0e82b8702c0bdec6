#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "auth/access_token.h"
#include "auth/token_requests.h"
#include "gcsflux/result.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// Parses the answers to a TokenRequest. Temporary failures are kUnavailable. Permanent ones are kUnauthenticated
/// (refused), or kBadResponse (not an answer of such an endpoint). No message contains a secret of the request. Of the
/// answer, a message contains only errors in OAuth's or Google's form.

/// A text's JSON object, without exceptions, because their texts quote the input. Null if it is none.
nlohmann::json ObjectIn(std::string_view text);

/// An answer with a status other than 200.
Error ErrorOfTokenEndpoint(const HttpResponse& response);

using ParseToken = Result<AccessToken> (*)(const HttpResponse& response, AccessToken::Time now);
/// RFC 6749, section 5.1: access_token and expires_in.
Result<AccessToken> ParseTokenAnswer(const HttpResponse& response, AccessToken::Time now);
/// The answer of generateAccessToken: accessToken and expireTime.
Result<AccessToken> ParseImpersonationAnswer(const HttpResponse& response, AccessToken::Time now);
/// The metadata server's answer. A header proves that it is Google's.
Result<AccessToken> ParseMetadataAnswer(const HttpResponse& response, AccessToken::Time now);
/// A subject token in a file or an answer: the whole text, or a member of a JSON object.
Result<std::string> ParseSubjectToken(std::string_view text, const std::string& json_field);

}  // namespace gcsflux::internal
