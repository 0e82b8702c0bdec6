#include "case/excerpt.h"

#include <algorithm>
#include <array>

namespace gcsflux::conformance {
namespace {

constexpr std::size_t kMaxBytes = 256;

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

struct SecretValue {
  std::string_view before;
  std::string_view shown;
};

// Both spellings of a JSON field: as it is, and inside a quoted excerpt.
constexpr std::array kSecretValues = {
    SecretValue{"upload_id=", "<id>"},
    SecretValue{"Signature=", "<signature>"},
    SecretValue{"access_token=", "<token>"},
    SecretValue{R"("secret":")", "<secret>"},
    SecretValue{R"("secret": ")", "<secret>"},
    SecretValue{R"(\"secret\":\")", "<secret>"},
    SecretValue{R"(\"secret\": \")", "<secret>"},
    SecretValue{"Bearer ", "<token>"},
};

std::string CutNote(std::size_t bytes) { return "... (" + std::to_string(bytes) + " bytes)"; }

}  // namespace

std::string Excerpt(std::string_view text) {
  const std::string quoted = Dump(Json(std::string(text.substr(0, kMaxBytes))));
  return text.size() <= kMaxBytes ? quoted : quoted + CutNote(text.size());
}

std::string Excerpt(const Json& value) {
  if (value.is_string()) return Excerpt(std::string_view(value.get_ref<const std::string&>()));
  const std::string text = Dump(value);
  return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + CutNote(text.size());
}

std::string Redact(std::string text, std::string_view token) {
  constexpr std::string_view kShownToken = "<token>";
  for (std::size_t at = token.empty() ? text.npos : text.find(token); at != text.npos; at = text.find(token, at)) {
    text.replace(at, token.size(), kShownToken);
    at += kShownToken.size();
  }
  for (const SecretValue& secret : kSecretValues) {
    for (std::size_t at = text.find(secret.before); at != text.npos; at = text.find(secret.before, at)) {
      at += secret.before.size();
      const std::size_t end = std::min(text.find_first_of("&\"\\ \n<", at), text.size());
      text.replace(at, end - at, secret.shown);
    }
  }
  return text;
}

}  // namespace gcsflux::conformance
