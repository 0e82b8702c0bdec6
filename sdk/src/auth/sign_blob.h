#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/token_requests.h"
#include "gcsflux/result.h"

// IAM Credentials' signBlob:
// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob
namespace gcsflux::internal {

/// A service account, and the URL of its signBlob.
struct IamAccount {
  std::string email = {};
  std::string url = {};                     ///< Ends with ":signBlob".
  std::vector<std::string> delegates = {};  ///< In the form of the requests, or e-mail addresses.
};

/// At Google's own endpoint.
IamAccount IamAccountOf(const std::string& email);
/// From the configuration of an impersonation, whose URL was checked.
IamAccount IamAccountOf(const Impersonation& impersonation);

/// The request, authorised by `token`.
TokenRequest SignBlobRequest(const IamAccount& account, std::string_view bytes, const std::string& token);
/// The signature's bytes. Returns kBadResponse if there are none.
Result<std::string> ParseSignBlobAnswer(const HttpResponse& response);

/// The e-mail address of the machine's own service account.
TokenRequest MetadataEmailRequest(const std::string& host);
Result<std::string> ParseMetadataEmail(const HttpResponse& response);

}  // namespace gcsflux::internal
