#include "api/request_signature.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/signature_v2.h"
#include "base/base64.h"
#include "base/letter_case.h"
#include "base/parse_time.h"
#include "http/parameters.h"
#include "http/target.h"
#include "http/trim.h"
#include "identity/hmac.h"

namespace gcsflux::emulator {
namespace {

constexpr std::chrono::minutes kMostSkew{15};
constexpr std::int64_t kLongestUrl = 604'800;  // seconds
constexpr auto kScopes = "https://www.googleapis.com/auth/devstorage.full_control";

// The two families of names: those of the XML API, and those of S3.
struct Dialect {
  std::string_view algorithm;  // without the kind of key
  std::string_view header;     // the beginning of headers' names
  std::string_view parameter;  // and of parameters'
  std::string_view end;        // of a credential's scope
};
constexpr Dialect kGoog = {"GOOG4", "x-goog-", "X-Goog-", "goog4_request"};
constexpr Dialect kAmz = {"AWS4", "x-amz-", "X-Amz-", "aws4_request"};

struct Signature {
  Dialect dialect = kGoog;
  std::string algorithm = {};
  std::string credential = {};
  std::string signed_headers = {};
  std::string signature = {};
  std::string time = {};  // 20261126T080000Z
  bool is_in_url = false;
};

ApiError Mismatch() {
  return {403, "forbidden",
          "Access denied. The request signature we calculated does not match the signature you provided. Check your "
          "Google secret key and signing method."};
}

std::string HeaderOf(const HttpRequest& request, const std::string& name) {
  return request.headers.FindAll(name).value_or("");
}

// The value of "NAME=" in an Authorization header.
std::string Field(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(std::string(name) + "=");
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + name.size() + 1);
  return std::string(Trim(text.substr(0, text.find(','))));
}

std::optional<Signature> ReadHeader(const HttpRequest& request) {
  const std::string* authorization = request.headers.Find("authorization");
  if (authorization == nullptr) return std::nullopt;
  const std::size_t blank = authorization->find(' ');
  const std::string algorithm = authorization->substr(0, blank);
  if (algorithm != "GOOG4-HMAC-SHA256" && algorithm != "AWS4-HMAC-SHA256") return std::nullopt;
  const Dialect dialect = algorithm.starts_with('G') ? kGoog : kAmz;
  return Signature{.dialect = dialect,
                   .algorithm = algorithm,
                   .credential = Field(*authorization, "Credential"),
                   .signed_headers = Field(*authorization, "SignedHeaders"),
                   .signature = Field(*authorization, "Signature"),
                   .time = HeaderOf(request, std::string(dialect.header) + "date")};
}

std::optional<Signature> ReadUrl(const QueryParameters& query) {
  for (const Dialect& dialect : {kGoog, kAmz}) {
    const auto value = [&](std::string_view name) {
      return query.Value(std::string(dialect.parameter) + std::string(name));
    };
    if (value("Signature").empty()) continue;
    return Signature{.dialect = dialect,
                     .algorithm = value("Algorithm"),
                     .credential = value("Credential"),
                     .signed_headers = value("SignedHeaders"),
                     .signature = value("Signature"),
                     .time = value("Date"),
                     .is_in_url = true};
  }
  return std::nullopt;
}

// "20261126T080000Z"
std::optional<Time> ParseBasicTime(const std::string& text) {
  if (text.size() != 16) return std::nullopt;
  return ParseRfc3339(text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6, 5) + ":" + text.substr(11, 2) +
                      ":" + text.substr(13, 3));
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string CanonicalQuery(const QueryParameters& query, const Signature& signature) {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : query.all()) {
    if (name == std::string(signature.dialect.parameter) + "Signature") continue;
    pairs.push_back(EncodeSegment(name) + "=" + EncodeSegment(value));
  }
  std::sort(pairs.begin(), pairs.end());
  std::string joined;
  for (const std::string& pair : pairs) joined += (joined.empty() ? "" : "&") + pair;
  return joined;
}

// Runs of blanks count as one.
std::string CanonicalValue(const std::string& value) {
  std::string text;
  for (const char c : Trim(value)) {
    if (c != ' ' || !text.ends_with(' ')) text += c;
  }
  return text;
}

std::string CanonicalRequest(const HttpRequest& request, const QueryParameters& query, const Signature& signature) {
  std::string text = request.method + "\n" + request.target.substr(0, request.target.find('?')) + "\n" +
                     CanonicalQuery(query, signature) + "\n";
  for (const std::string& name : Split(signature.signed_headers, ';')) {
    text += name + ":" + CanonicalValue(HeaderOf(request, name)) + "\n";
  }
  const std::string hash = HeaderOf(request, std::string(signature.dialect.header) + "content-sha256");
  return text + "\n" + signature.signed_headers + "\n" + (hash.empty() ? "UNSIGNED-PAYLOAD" : hash);
}

// KEY/20261126/auto/storage/goog4_request, where the key may be an email address.
struct Credential {
  std::string key = {};
  std::string date = {}, location = {}, service = {}, end = {};

  [[nodiscard]] std::string scope() const { return date + "/" + location + "/" + service + "/" + end; }
};

std::optional<Credential> ParseCredential(const Signature& signature) {
  std::vector<std::string> parts = Split(signature.credential, '/');
  if (parts.size() != 5 || parts[4] != signature.dialect.end) return std::nullopt;
  if (!signature.time.starts_with(parts[1])) return std::nullopt;
  return Credential{parts[0], parts[1], parts[2], parts[3], parts[4]};
}

std::string SigningKey(const Dialect& dialect, const std::string& secret, const Credential& credential) {
  std::string key = HmacSha256(std::string(dialect.algorithm) + secret, credential.date);
  for (const std::string* part : {&credential.location, &credential.service, &credential.end}) {
    key = HmacSha256(key, *part);
  }
  return key;
}

ApiResult<void> CheckTime(const Signature& signature, const QueryParameters& query, Time now) {
  const std::optional<Time> time = ParseBasicTime(signature.time);
  if (!time) return tl::unexpected(Mismatch());
  if (!signature.is_in_url) {
    if (*time <= now + kMostSkew && *time >= now - kMostSkew) return {};
    return tl::unexpected(
        ApiError{403, "forbidden", "The difference between the request time and the current time is too large."});
  }
  const auto seconds = Int64Parameter(query, std::string(signature.dialect.parameter) + "Expires");
  if (!seconds || !*seconds || **seconds < 1 || **seconds > kLongestUrl) {
    return tl::unexpected(BadParameter("A signed URL is valid for 1 to 604800 seconds."));
  }
  if (*time > now + kMostSkew) return tl::unexpected(Mismatch());
  if (now <= *time + std::chrono::seconds(**seconds)) return {};
  return tl::unexpected(ApiError{400, "expired", "The provided token has expired."});
}

// Whether one of the account's RSA keys made the signature.
bool IsByAccount(const Identity& identity, const std::string& email, const std::string& text,
                 const std::string& bytes) {
  const ServiceAccount* account = identity.config().FindServiceAccount(email);
  if (account == nullptr) return false;
  return std::any_of(account->keys.begin(), account->keys.end(),
                     [&](const ServiceAccountKey& key) { return key.key.Verifies(text, bytes); });
}

// A header that says what to do must be signed, or others could add it to a signed URL.
bool SignsItsHeaders(const HttpRequest& request, const Signature& signature) {
  const std::vector<std::string> signed_names = Split(signature.signed_headers, ';');
  return std::all_of(request.headers.fields().begin(), request.headers.fields().end(), [&](const auto& field) {
    const std::string name = LowerCase(field.first);
    const bool says_what_to_do = name.starts_with(kGoog.header) || name.starts_with(kAmz.header);
    return !says_what_to_do || std::find(signed_names.begin(), signed_names.end(), name) != signed_names.end();
  });
}

std::optional<Signature> ReadSignature(const HttpRequest& request, const QueryParameters& query) {
  std::optional<Signature> signature = ReadHeader(request);
  return signature ? signature : ReadUrl(query);
}

// Who may have signed.
struct Signers {
  const Identity& identity;
  const HmacKeys& keys;
};

// The principal whose key has signed the text.
ApiResult<Principal> VerifyText(const Signature& signature, const Credential& credential, const std::string& text,
                                const Signers& signers) {
  if (signature.algorithm == "GOOG4-RSA-SHA256" && signature.is_in_url) {
    const std::string bytes = FromHex(signature.signature);
    if (!IsByAccount(signers.identity, credential.key, text, bytes)) return tl::unexpected(Mismatch());
    return Principal{credential.key, kScopes};
  }
  const std::optional<HmacKey> key = signers.keys.FindActive(credential.key);
  if (!key || signature.algorithm != std::string(signature.dialect.algorithm) + "-HMAC-SHA256") {
    return tl::unexpected(Mismatch());
  }
  const std::string wanted = ToHex(HmacSha256(SigningKey(signature.dialect, key->secret, credential), text));
  if (!AreEqualSecrets(wanted, signature.signature)) return tl::unexpected(Mismatch());
  return Principal{key->service_account, kScopes};
}

// The same by version 2.
ApiResult<Principal> VerifyTextV2(const SignatureV2& signature, const Signers& signers) {
  const std::optional<std::string> bytes = DecodeBase64(signature.signature);
  if (!bytes) return tl::unexpected(Mismatch());
  const std::optional<HmacKey> key = signers.keys.FindActive(signature.key);
  if (key && AreEqualSecrets(HmacSha1(key->secret, signature.text), *bytes)) {
    return Principal{key->service_account, kScopes};
  }
  const bool is_by_account = IsByAccount(signers.identity, signature.key, signature.text, *bytes);
  return is_by_account ? ApiResult<Principal>(Principal{signature.key, kScopes}) : tl::unexpected(Mismatch());
}

ApiResult<void> CheckTimeV2(const SignatureV2& signature, Time now) {
  if (signature.expires) {
    if (now <= Time(std::chrono::seconds(*signature.expires))) return {};
    return tl::unexpected(ApiError{400, "expired", "The provided token has expired."});
  }
  std::optional<Time> time = ParseBasicTime(signature.time);
  if (!time) time = ParseHttpDate(signature.time);
  if (time && *time <= now + kMostSkew && *time >= now - kMostSkew) return {};
  return tl::unexpected(
      ApiError{403, "forbidden", "The difference between the request time and the current time is too large."});
}

}  // namespace

bool IsSigned(const HttpRequest& request) {
  const ApiResult<Target> target = ParseTarget(request.target);
  return target && (ReadSignature(request, target->query) || ReadSignatureV2(request));
}

ApiResult<Principal> VerifySignature(const HttpRequest& request, const Identity& identity, const HmacKeys& keys,
                                     Time now) {
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return tl::unexpected(target.error());
  const std::optional<Signature> signature = ReadSignature(request, target->query);
  if (!signature) {
    const std::optional<SignatureV2> old = ReadSignatureV2(request);
    if (!old) return tl::unexpected(Mismatch());
    if (auto in_time = CheckTimeV2(*old, now); !in_time) return tl::unexpected(in_time.error());
    return VerifyTextV2(*old, {identity, keys});
  }
  const std::optional<Credential> credential = ParseCredential(*signature);
  // What is not signed could be another host's.
  const bool signs_host = (";" + signature->signed_headers + ";").find(";host;") != std::string::npos;
  if (!credential || !signs_host) return tl::unexpected(Mismatch());
  if (!SignsItsHeaders(request, *signature)) return tl::unexpected(Mismatch());
  if (auto in_time = CheckTime(*signature, target->query, now); !in_time) return tl::unexpected(in_time.error());
  const std::string text = signature->algorithm + "\n" + signature->time + "\n" + credential->scope() + "\n" +
                           ToHex(Sha256(CanonicalRequest(request, target->query, *signature)));
  return VerifyText(*signature, *credential, text, {identity, keys});
}

ApiResult<Principal> VerifyPolicy(const FormFields& fields, const Identity& identity, const HmacKeys& keys) {
  const std::string policy = FieldOf(fields, "policy");
  for (const Dialect& dialect : {kGoog, kAmz}) {
    const std::string prefix(dialect.header);
    const Signature signature{.dialect = dialect,
                              .algorithm = FieldOf(fields, prefix + "algorithm"),
                              .credential = FieldOf(fields, prefix + "credential"),
                              .signature = FieldOf(fields, prefix + "signature"),
                              .time = FieldOf(fields, prefix + "date"),
                              .is_in_url = true};
    if (signature.signature.empty()) continue;
    const std::optional<Credential> credential = ParseCredential(signature);
    if (!credential) return tl::unexpected(Mismatch());
    return VerifyText(signature, *credential, policy, {identity, keys});
  }
  const std::string account = FieldOf(fields, "googleaccessid");
  const SignatureV2 old{.key = account.empty() ? FieldOf(fields, "awsaccesskeyid") : account,
                        .signature = FieldOf(fields, "signature"),
                        .text = policy};
  return VerifyTextV2(old, {identity, keys});
}

}  // namespace gcsflux::emulator
