#include "traffic/redact_target.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

// What the names of secret parameters contain: upload_id of the JSON API and uploadId of the XML API, access_token and
// oauth_token, X-Goog-Signature, X-Goog-Credential, GoogleAccessId and Signature of signed URLs, key.
constexpr std::array<std::string_view, 12> kSecretWords = {"uploadid", "token",     "signature", "credential",
                                                           "accessid", "accesskey", "key",       "secret",
                                                           "password", "assertion", "policy",    "authorization"};
// A page token says only where a listing goes on, and is needed to read one.
constexpr std::array<std::string_view, 2> kPlain = {"pagetoken", "continuationtoken"};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A parameter's name decoded, in lower case, without what separates its words.
std::string Simplified(std::string_view name) {
  std::string simple;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '%' && i + 2 < name.size() && HexDigit(name[i + 1]) >= 0 && HexDigit(name[i + 2]) >= 0) {
      c = static_cast<char>(HexDigit(name[i + 1]) * 16 + HexDigit(name[i + 2]));
      i += 2;
    }
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != '-' && c != '_') simple += c;
  }
  return simple;
}

bool IsSecret(std::string_view name) {
  const std::string simple = Simplified(name);
  if (std::find(kPlain.begin(), kPlain.end(), simple) != kPlain.end()) return false;
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return simple.find(word) != std::string::npos; });
}

void AppendPrintable(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
}

std::string_view WithoutOrigin(std::string_view raw) {
  const std::size_t scheme = raw.find("://");
  if (raw.starts_with('/') || scheme == std::string_view::npos) return raw;
  return raw.substr(std::min(raw.find_first_of("/?", scheme + 3), raw.size()));
}

}  // namespace

std::string RedactTarget(std::string_view raw) {
  std::string_view rest = WithoutOrigin(raw);
  std::string redacted;
  redacted.reserve(rest.size());
  const std::size_t path_end = std::min(rest.find('?'), rest.size());
  AppendPrintable(redacted, rest.substr(0, path_end));
  for (rest.remove_prefix(path_end); !rest.empty();) {
    const char separator = rest.front();  // '?' first, then '&'
    rest.remove_prefix(1);
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    const std::size_t equals = parameter.find('=');
    redacted += separator;
    AppendPrintable(redacted, parameter.substr(0, equals));
    if (equals != std::string_view::npos) {
      redacted += '=';
      const std::string_view value = parameter.substr(equals + 1);
      AppendPrintable(redacted, IsSecret(parameter.substr(0, equals)) ? "REDACTED" : value);
    }
    rest.remove_prefix(parameter.size());
  }
  return redacted;
}

}  // namespace gcsflux::emulator
