#include "auth/token_answers.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text/rfc3339.h"
#include "base/text/zero_byte.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;

std::string TextAt(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Error NoToken(const char* why) {
  return Error{ErrorCode::kBadResponse, std::string("the answer is not a token: ") + why};
}

// The part of the service's text that may be shown.
std::string Presentable(std::string words) {
  constexpr std::size_t kShown = 256;
  for (char& c : words) c = c >= ' ' && c < '\x7F' ? c : '?';
  return words.substr(0, kShown);
}

// {"error": "invalid_grant", "error_description": "..."}, or Google's {"error": {"status": ..., "message": ...}}.
std::pair<std::string, std::string> ReasonAndWords(const json& object) {
  const auto error = object.find("error");
  if (error == object.end()) return {};
  if (error->is_string()) return {error->get<std::string>(), TextAt(object, "error_description")};
  if (error->is_object()) return {TextAt(*error, "status"), TextAt(*error, "message")};
  return {};
}

std::optional<std::int64_t> SecondsAt(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (!found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();  // Some issuers send the number as a string.
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(seconds) : std::nullopt;
}

}  // namespace

json ObjectIn(std::string_view text) {
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return object.is_object() && !HasZeroByte(text) ? object : json();
}

Error ErrorOfTokenEndpoint(const HttpResponse& response) {
  const int status = response.status;
  const bool may_pass = status == 408 || status == 429 || (status >= 500 && status != 501);
  const bool is_refusal = status >= 400 && status < 500;
  Error error{may_pass     ? ErrorCode::kUnavailable
              : is_refusal ? ErrorCode::kUnauthenticated
                           : ErrorCode::kBadResponse,
              std::to_string(status)};
  if (status >= 300 && status < 400) error.message += " (redirects are not followed)";
  auto [reason, words] = ReasonAndWords(ObjectIn(response.body));
  error.reason = Presentable(std::move(reason));
  words = Presentable(std::move(words));
  if (!error.reason.empty()) error.message += " " + error.reason;
  if (!words.empty()) error.message += ": " + words;
  return error;
}

Result<AccessToken> ParseTokenAnswer(const HttpResponse& response, AccessToken::Time now) {
  constexpr std::int64_t kMostSeconds = std::int64_t{366} * 24 * 3600;
  const json object = ObjectIn(response.body);
  std::string text = TextAt(object, "access_token");
  if (!IsTokenText(text)) return NoToken("it has no access_token");
  const auto seconds = SecondsAt(object, "expires_in");
  if (!seconds || *seconds < 1 || *seconds > kMostSeconds) return NoToken("its expires_in is not in the future");
  return AccessToken{std::move(text), now, now + std::chrono::seconds(*seconds)};
}

Result<AccessToken> ParseImpersonationAnswer(const HttpResponse& response, AccessToken::Time now) {
  const json object = ObjectIn(response.body);
  std::string text = TextAt(object, "accessToken");
  if (!IsTokenText(text)) return NoToken("it has no accessToken");
  const auto expires = ParseRfc3339(TextAt(object, "expireTime"));
  if (!expires) return NoToken("it has no expireTime");
  if (*expires <= now) return NoToken("its expireTime is over; is this machine's clock right?");
  return AccessToken{std::move(text), now, *expires};
}

Result<AccessToken> ParseMetadataAnswer(const HttpResponse& response, AccessToken::Time now) {
  if (FindHeader(response.headers, "metadata-flavor") != "Google") return NoToken("it is not Google's metadata server");
  return ParseTokenAnswer(response, now);
}

Result<std::string> ParseSubjectToken(std::string_view text, const std::string& json_field) {
  std::string token(text);
  if (!json_field.empty()) {
    const json object = ObjectIn(text);
    if (object.is_null()) return Error{ErrorCode::kBadResponse, "is no JSON object"};
    token = TextAt(object, json_field.c_str());
  }
  // Files often end with a line break.
  token.resize(token.find_last_not_of(" \t\r\n") + 1);
  if (!token.empty()) return token;
  return Error{ErrorCode::kBadResponse,
               json_field.empty() ? "is empty" : "has no text in the member '" + json_field + "'"};
}

}  // namespace gcsflux::internal
