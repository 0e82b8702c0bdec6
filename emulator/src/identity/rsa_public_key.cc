#include "identity/rsa_public_key.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>

namespace gcsflux::emulator {
namespace {

using KeyPtr = std::shared_ptr<EVP_PKEY>;

// Without it OpenSSL would ask for an encrypted key's passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

KeyPtr ReadKey(std::string_view pem, EVP_PKEY* (*read)(BIO*)) {
  const std::unique_ptr<BIO, decltype(&::BIO_free)> text(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         &::BIO_free);
  KeyPtr key(read(text.get()), &::EVP_PKEY_free);
  ::ERR_clear_error();
  return key;
}

EVP_PKEY* ReadPublicKey(BIO* pem) { return ::PEM_read_bio_PUBKEY(pem, nullptr, &NoPassphrase, nullptr); }
EVP_PKEY* ReadPrivateKey(BIO* pem) { return ::PEM_read_bio_PrivateKey(pem, nullptr, &NoPassphrase, nullptr); }
EVP_PKEY* ReadCertificate(BIO* pem) {
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(
      ::PEM_read_bio_X509(pem, nullptr, &NoPassphrase, nullptr), &::X509_free);
  return certificate != nullptr ? ::X509_get_pubkey(certificate.get()) : nullptr;
}

}  // namespace

std::optional<RsaPublicKey> RsaPublicKey::FromPem(std::string_view pem) {
  for (const auto read : {&ReadPublicKey, &ReadCertificate, &ReadPrivateKey}) {
    KeyPtr key = ReadKey(pem, read);
    if (key == nullptr) continue;
    if (::EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) return std::nullopt;
    return RsaPublicKey(std::move(key));
  }
  return std::nullopt;
}

bool RsaPublicKey::Verifies(std::string_view message, std::string_view signature) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  const auto bytes = [](std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
  const bool verifies =
      ::EVP_DigestVerifyInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key_.get()) == 1 &&
      ::EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message), message.size()) == 1;
  ::ERR_clear_error();
  return verifies;
}

}  // namespace gcsflux::emulator
