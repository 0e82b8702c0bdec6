#include "auth/v4_signing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "base/invalid_argument.h"
#include "base/sha256.h"
#include "base/text/hex.h"
#include "base/text/lower_case.h"
#include "base/text/percent_encoding.h"
#include "http/header_text.h"

namespace gcsflux::internal {
namespace {

constexpr auto kAlgorithm = "GOOG4-RSA-SHA256";

// Without blanks at its ends; each run of blanks becomes one.
std::string Folded(std::string_view value) {
  std::string folded;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) folded += c;
    if (is_blank && !folded.empty() && folded.back() != ' ') folded += ' ';
  }
  if (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return folded;
}

using Fields = std::map<std::string, std::string>;

Result<Fields> CanonicalHeaders(const V4Request& request) {
  Fields headers = {{"host", request.host}};
  for (const auto& [name, value] : request.headers) {
    if (!IsHeaderName(name) || !IsHeaderValue(value))
      return InvalidArgument("a header to sign is none, or holds a control character");
    if (!headers.emplace(LowerCase(name), Folded(value)).second) {
      return InvalidArgument("the header '" + name + "' is there twice, or is Host, which is signed anyway");
    }
  }
  return headers;
}

std::string Joined(const Fields& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

// "20261120T061500Z"
std::string Timestamp(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

std::string Scope(const std::string& timestamp) { return timestamp.substr(0, 8) + "/auto/storage/goog4_request"; }

// Encoded, in the order of the encoded names.
Result<std::string> CanonicalQuery(const V4Request& request, const std::string& timestamp,
                                   const std::string& signed_names) {
  Fields query = {{"X-Goog-Algorithm", kAlgorithm},
                  {"X-Goog-Credential", PercentEncode(request.account + "/" + Scope(timestamp))},
                  {"X-Goog-Date", timestamp},
                  {"X-Goog-Expires", std::to_string(request.lifetime.count())},
                  {"X-Goog-SignedHeaders", PercentEncode(signed_names)}};
  for (const auto& [name, value] : request.query) {
    const std::string lower = LowerCase(name);
    const bool is_taken =
        lower == "x-goog-signature" ||
        std::any_of(query.begin(), query.end(), [&](const auto& field) { return LowerCase(field.first) == lower; });
    if (name.empty() || is_taken)
      return InvalidArgument("the parameter '" + name + "' is the signature's own, or no name");
    query.emplace(PercentEncode(name), PercentEncode(value));
  }
  std::string text;
  for (const auto& [name, value] : query) {
    text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  }
  return text;
}

}  // namespace

std::string EncodePath(std::string_view name) {
  std::string path;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size());
    path += PercentEncode(name.substr(at, slash - at));
    if (slash < name.size()) path += '/';
    at = slash + 1;
  }
  return path;
}

Result<V4Canonical> Canonicalize(const V4Request& request) {
  const auto headers = CanonicalHeaders(request);
  if (!headers) return headers.error();
  const std::string names = Joined(*headers);
  const std::string timestamp = Timestamp(request.signed_at);
  auto query = CanonicalQuery(request, timestamp, names);
  if (!query) return query.error();
  V4Canonical canonical{.query = *std::move(query)};
  canonical.request = request.method + "\n" + request.path + "\n" + canonical.query + "\n";
  for (const auto& [name, value] : *headers) canonical.request.append(name).append(":").append(value).append("\n");
  const auto payload = headers->find("x-goog-content-sha256");
  canonical.request += "\n" + names + "\n" + (payload == headers->end() ? "UNSIGNED-PAYLOAD" : payload->second);
  canonical.string_to_sign =
      std::string(kAlgorithm) + "\n" + timestamp + "\n" + Scope(timestamp) + "\n" + Sha256Hex(canonical.request);
  return canonical;
}

std::string SignedUrlOf(const V4Request& request, const V4Canonical& canonical, std::string_view signature) {
  return request.scheme + "://" + request.host + request.path + "?" + canonical.query +
         "&X-Goog-Signature=" + HexEncode(signature);
}

}  // namespace gcsflux::internal
