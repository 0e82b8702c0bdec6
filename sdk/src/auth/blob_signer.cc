#include "auth/blob_signer.h"

#include <functional>
#include <optional>
#include <utility>

#include "auth/sign_blob.h"
#include "auth/token_source.h"

namespace gcsflux::internal {
namespace {

using TokenOf = std::function<Result<std::string>(const TokenContext&)>;

TokenOf FromCache(std::shared_ptr<TokenCache> tokens) {
  return [tokens = std::move(tokens)](const TokenContext& context) -> Result<std::string> {
    const auto token = tokens->Get(context);
    if (!token) return token.error();
    return (*token)->text;
  };
}

// Tokens of the identity that impersonates. They are fetched each time, because the client's requests do not use them.
TokenOf FromSource(std::shared_ptr<const TokenSource> source) {
  return [source = std::move(source)](const TokenContext& context) -> Result<std::string> {
    const auto token = source->Fetch(context);
    if (!token) return token.error();
    return token->text;
  };
}

Result<std::string> SignByIam(const IamAccount& account, std::string_view bytes, const TokenOf& token_of,
                              const TokenContext& context) {
  const auto token = token_of(context);
  if (!token) return token.error();
  const TokenRequest request = SignBlobRequest(account, bytes, *token);
  const auto response = SendTokenRequest(context, request);
  if (response) return ParseSignBlobAnswer(*response);
  Error error = response.error();
  if (error.code == ErrorCode::kUnauthenticated) {
    error.message += "; to sign takes roles/iam.serviceAccountTokenCreator on " + account.email;
  }
  return error;
}

using AccountOf = std::function<Result<std::string>(const TokenContext&)>;

AccountOf Always(std::string email) {
  return [email = std::move(email)](const TokenContext&) -> Result<std::string> { return email; };
}

Result<std::string> NoAccount(const TokenContext&) {
  return Error{ErrorCode::kInvalidArgument,
               "these credentials are of no service account: name one that they may sign for in "
               "SignedUrlOptions::service_account"};
}

AccountOf OfMachine(const std::string& metadata_host) {
  return [metadata_host](const TokenContext& context) -> Result<std::string> {
    const auto response = SendTokenRequest(context, MetadataEmailRequest(metadata_host));
    return response ? ParseMetadataEmail(*response) : response.error();
  };
}

class Signer : public BlobSigner {
 public:
  struct Parts {
    AccountOf account;
    TokenOf token_of;
    std::optional<ServiceAccountKey> key = {};
    std::optional<IamAccount> impersonated = {};  ///< With an URL of its own.
  };
  explicit Signer(Parts parts) : parts_(std::move(parts)) {}

  Result<std::string> Account(const TokenContext& context) const override { return parts_.account(context); }
  Result<std::string> Sign(const std::string& account, std::string_view bytes,
                           const TokenContext& context) const override {
    const auto& [of, token_of, key, impersonated] = parts_;
    if (key && account == key->client_email) {
      auto signature = key->private_key->SignSha256(bytes);
      if (signature) return *std::move(signature);
      return Error{ErrorCode::kUnauthenticated, "the key of " + account + " cannot sign"};
    }
    const bool is_impersonated = impersonated && account == impersonated->email;
    return SignByIam(is_impersonated ? *impersonated : IamAccountOf(account), bytes, token_of, context);
  }

 private:
  const Parts parts_;
};

// One signer per kind of credential.
struct SignerMaker {
  using Made = std::shared_ptr<const BlobSigner>;
  std::shared_ptr<TokenCache> tokens;

  Made operator()(const AnonymousAccess&) const { return nullptr; }
  Made operator()(const ApplicationDefault&) const { return nullptr; }
  Made operator()(const FixedToken&) const { return Make({NoAccount, FromCache(tokens)}); }
  Made operator()(const AuthorizedUser&) const { return Make({NoAccount, FromCache(tokens)}); }
  Made operator()(const ServiceAccountKey& key) const {
    return Make({Always(key.client_email), FromCache(tokens), key});
  }
  Made operator()(const MetadataServer& server) const { return Make({OfMachine(server.host), FromCache(tokens)}); }
  Made operator()(const ImpersonatedServiceAccount& account) const {
    return Impersonating(account.impersonation, *account.source);
  }
  Made operator()(const ExternalAccount& account) const {
    if (!account.impersonation) return Make({NoAccount, FromCache(tokens)});
    ExternalAccount own = account;
    own.impersonation.reset();
    return Impersonating(*account.impersonation, {.kind = std::move(own)});
  }

  static Made Impersonating(const Impersonation& impersonation, const CredentialConfig& source) {
    const IamAccount account = IamAccountOf(impersonation);
    return Make({Always(account.email), FromSource(MakeTokenSource(source, false)), std::nullopt, account});
  }
  static Made Make(Signer::Parts parts) { return std::make_shared<const Signer>(std::move(parts)); }
};

}  // namespace

std::shared_ptr<const BlobSigner> MakeBlobSigner(const CredentialConfig& config, std::shared_ptr<TokenCache> tokens) {
  return std::visit(SignerMaker{std::move(tokens)}, config.kind);
}

}  // namespace gcsflux::internal
