#include "auth/rsa_key.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/process/keep_openssl.h"
#include "base/process/leaf_section.h"

namespace gcsflux::internal {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// OpenSSL would ask for a passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

}  // namespace

struct RsaKey::Key {
  struct Deleter {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  std::unique_ptr<EVP_PKEY, Deleter> pkey;
};

RsaKey::RsaKey(std::unique_ptr<Key> key) : key_(std::move(key)) {}
RsaKey::~RsaKey() = default;

std::shared_ptr<const RsaKey> RsaKey::FromPem(std::string_view pem) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (pem.size() > kMostBytes) return nullptr;
  KeepOpenSsl();
  const LeafSection leaf;
  const std::unique_ptr<BIO, Deleter> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::unique_ptr<EVP_PKEY, Key::Deleter> pkey(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &NoPassphrase, nullptr)
                                                   : nullptr);
  ERR_clear_error();  // The thread's queue is shared with libcurl.
  if (!pkey || EVP_PKEY_get_base_id(pkey.get()) != EVP_PKEY_RSA) return nullptr;
  return std::shared_ptr<const RsaKey>(new RsaKey(std::make_unique<Key>(Key{std::move(pkey)})));
}

std::optional<std::string> RsaKey::SignSha256(std::string_view text) const {
  const LeafSection leaf;
  const std::unique_ptr<EVP_MD_CTX, Deleter> context(EVP_MD_CTX_new());
  std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_->pkey.get()));
  std::string signature(size, '\0');
  const bool is_signed = context &&
                         EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->pkey.get()) == 1 &&
                         EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                        reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  ERR_clear_error();
  if (!is_signed) return std::nullopt;
  signature.resize(size);
  return signature;
}

}  // namespace gcsflux::internal
