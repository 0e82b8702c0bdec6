#include "auth/sign_blob.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "auth/token_answers.h"
#include "base/text/base64.h"
#include "base/text/percent_encoding.h"

namespace gcsflux::internal {
namespace {

using nlohmann::json;

constexpr std::string_view kAccounts = "/v1/projects/-/serviceAccounts/";

}  // namespace

IamAccount IamAccountOf(const std::string& email) {
  return {
      email, "https://iamcredentials.googleapis.com" + std::string(kAccounts) + PercentEncode(email) + ":signBlob", {}};
}

IamAccount IamAccountOf(const Impersonation& impersonation) {
  const std::string& url = impersonation.url;
  const std::size_t begin = std::min(url.find(kAccounts), url.size() - kAccounts.size()) + kAccounts.size();
  const std::size_t end = std::max(url.rfind(':'), begin);
  return {url.substr(begin, end - begin), url.substr(0, end) + ":signBlob", impersonation.delegates};
}

TokenRequest SignBlobRequest(const IamAccount& account, std::string_view bytes, const std::string& token) {
  TokenRequest request = IamRequest(account.url, json{{"payload", Base64Encode(bytes)}}, account.delegates, token);
  request.wanted = "signature";
  return request;
}

Result<std::string> ParseSignBlobAnswer(const HttpResponse& response) {
  const json answer = ObjectIn(response.body);
  if (const auto found = answer.find("signedBlob"); found != answer.end() && found->is_string()) {
    auto bytes = Base64Decode(found->get<std::string>());
    if (bytes && !bytes->empty()) return *std::move(bytes);
  }
  return Error{ErrorCode::kBadResponse, "the answer is not a signature: it has no signedBlob"};
}

TokenRequest MetadataEmailRequest(const std::string& host) {
  TokenRequest request = MetadataRequest(host);
  request.http.url.replace(request.http.url.rfind('/') + 1, std::string::npos, "email");
  request.wanted = "service account";
  return request;
}

Result<std::string> ParseMetadataEmail(const HttpResponse& response) {
  std::string email = response.body.substr(0, response.body.find_last_not_of(" \r\n") + 1);
  const bool is_email = email.find('@') != std::string::npos && email.size() <= 256 &&
                        std::all_of(email.begin(), email.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (is_email && FindHeader(response.headers, "metadata-flavor") == "Google") return email;
  return Error{ErrorCode::kBadResponse, "the metadata server tells no e-mail address of a service account"};
}

}  // namespace gcsflux::internal
