#include "auth/blob_signer.h"

#include <functional>
#include <utility>

#include "auth/external_account_source.h"
#include "auth/sign_blob.h"

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

class KeySigner : public BlobSigner {
 public:
  KeySigner(ServiceAccountKey key, TokenOf token_of) : key_(std::move(key)), token_of_(std::move(token_of)) {}
  Result<std::string> Account(const TokenContext&) const override { return key_.client_email; }
  Result<std::string> Sign(const std::string& account, std::string_view bytes,
                           const TokenContext& context) const override {
    if (account != key_.client_email) return SignByIam(IamAccountOf(account), bytes, token_of_, context);
    auto signature = key_.private_key->SignSha256(bytes);
    if (signature) return *std::move(signature);
    return Error{ErrorCode::kUnauthenticated, "the key of " + key_.client_email + " cannot sign"};
  }

 private:
  const ServiceAccountKey key_;
  const TokenOf token_of_;
};

// Signs for any account that it may sign for; its own is unknown.
class TokenSigner : public BlobSigner {
 public:
  explicit TokenSigner(TokenOf token_of) : token_of_(std::move(token_of)) {}
  Result<std::string> Account(const TokenContext&) const override {
    return Error{ErrorCode::kInvalidArgument,
                 "these credentials are of no service account: name one that they may sign for in "
                 "SignedUrlOptions::service_account"};
  }
  Result<std::string> Sign(const std::string& account, std::string_view bytes,
                           const TokenContext& context) const override {
    return SignByIam(IamAccountOf(account), bytes, token_of_, context);
  }

 private:
  const TokenOf token_of_;
};

class ImpersonatedSigner : public BlobSigner {
 public:
  ImpersonatedSigner(const Impersonation& impersonation, TokenOf token_of)
      : account_(IamAccountOf(impersonation)), token_of_(std::move(token_of)) {}
  Result<std::string> Account(const TokenContext&) const override { return account_.email; }
  Result<std::string> Sign(const std::string& account, std::string_view bytes,
                           const TokenContext& context) const override {
    return SignByIam(account == account_.email ? account_ : IamAccountOf(account), bytes, token_of_, context);
  }

 private:
  const IamAccount account_;
  const TokenOf token_of_;
};

class MachineSigner : public BlobSigner {
 public:
  MachineSigner(MetadataServer server, TokenOf token_of) : server_(std::move(server)), token_of_(std::move(token_of)) {}
  Result<std::string> Account(const TokenContext& context) const override {
    const auto response = SendTokenRequest(context, MetadataEmailRequest(server_.host));
    return response ? ParseMetadataEmail(*response) : response.error();
  }
  Result<std::string> Sign(const std::string& account, std::string_view bytes,
                           const TokenContext& context) const override {
    return SignByIam(IamAccountOf(account), bytes, token_of_, context);
  }

 private:
  const MetadataServer server_;
  const TokenOf token_of_;
};

// One signer per kind of credential.
struct SignerMaker {
  using Made = std::shared_ptr<const BlobSigner>;
  std::shared_ptr<TokenCache> tokens;

  Made operator()(const AnonymousAccess&) const { return nullptr; }
  Made operator()(const ApplicationDefault&) const { return nullptr; }
  Made operator()(const FixedToken&) const { return std::make_shared<TokenSigner>(FromCache(tokens)); }
  Made operator()(const AuthorizedUser&) const { return std::make_shared<TokenSigner>(FromCache(tokens)); }
  Made operator()(const ServiceAccountKey& key) const { return std::make_shared<KeySigner>(key, FromCache(tokens)); }
  Made operator()(const MetadataServer& server) const {
    return std::make_shared<MachineSigner>(server, FromCache(tokens));
  }
  Made operator()(const ImpersonatedServiceAccount& account) const {
    return std::make_shared<ImpersonatedSigner>(account.impersonation,
                                                FromSource(MakeTokenSource(*account.source, false)));
  }
  Made operator()(const ExternalAccount& account) const {
    if (!account.impersonation) return std::make_shared<TokenSigner>(FromCache(tokens));
    ExternalAccount own = account;
    own.impersonation.reset();
    return std::make_shared<ImpersonatedSigner>(*account.impersonation, FromSource(MakeExternalAccountSource(own)));
  }
};

}  // namespace

std::shared_ptr<const BlobSigner> MakeBlobSigner(const CredentialConfig& config, std::shared_ptr<TokenCache> tokens) {
  return std::visit(SignerMaker{std::move(tokens)}, config.kind);
}

}  // namespace gcsflux::internal
