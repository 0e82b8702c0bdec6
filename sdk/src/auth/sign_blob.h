#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/token_requests.h"
#include "gcsflux/result.h"

// IAM Credentials' signBlob:
// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob
namespace gcsflux::internal {

/// A service account, and where it can be asked to sign.
struct IamAccount {
  std::string email = {};
  std::string url = {};                     ///< Ends with ":signBlob".
  std::vector<std::string> delegates = {};  ///< As the requests name them, or e-mail addresses.
};

/// At Google's own endpoint.
IamAccount IamAccountOf(const std::string& email);
/// Out of what is said of its tokens, whose URL has been checked.
IamAccount IamAccountOf(const Impersonation& impersonation);

/// By the bearer of `token`.
TokenRequest SignBlobRequest(const IamAccount& account, std::string_view bytes, const std::string& token);
/// The signature's bytes; kBadResponse where there are none.
Result<std::string> ParseSignBlobAnswer(const HttpResponse& response);

/// The e-mail address of the machine's own service account.
TokenRequest MetadataEmailRequest(const std::string& host);
Result<std::string> ParseMetadataEmail(const HttpResponse& response);

}  // namespace gcsflux::internal
