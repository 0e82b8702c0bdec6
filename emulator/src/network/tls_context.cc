#include "network/tls_context.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <new>
#include <stdexcept>
#include <string>

namespace gcsflux::emulator {
namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&::BIO_free)>;
using X509Ptr = std::unique_ptr<X509, decltype(&::X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;

// Without it OpenSSL would ask for an encrypted key's passphrase on the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

BioPtr TextOf(std::string_view pem) {
  return {::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &::BIO_free};
}

X509Ptr ReadCertificate(BIO* pem) { return {::PEM_read_bio_X509(pem, nullptr, &NoPassphrase, nullptr), &::X509_free}; }

[[noreturn]] void Refuse(const std::string& why) {
  ::ERR_clear_error();
  throw std::invalid_argument(why);
}

void UseCertificates(SSL_CTX* context, std::string_view chain) {
  const BioPtr text = TextOf(chain);
  const X509Ptr own = ReadCertificate(text.get());
  if (own == nullptr) Refuse("the TLS certificate is not a certificate in PEM");
  if (::SSL_CTX_use_certificate(context, own.get()) != 1) Refuse("the TLS certificate's key is too weak or unknown");
  while (X509Ptr issuer = ReadCertificate(text.get())) ::SSL_CTX_add0_chain_cert(context, issuer.release());
  ::ERR_clear_error();  // the end of the text
}

void UseKey(SSL_CTX* context, std::string_view pem) {
  const BioPtr text = TextOf(pem);
  const KeyPtr key(::PEM_read_bio_PrivateKey(text.get(), nullptr, &NoPassphrase, nullptr), &::EVP_PKEY_free);
  if (key == nullptr) Refuse("the TLS key is not a private key in PEM without a passphrase");
  if (::SSL_CTX_use_PrivateKey(context, key.get()) != 1) Refuse("the TLS key is not that of the certificate");
}

void AskClients(SSL_CTX* context, std::string_view authorities) {
  const BioPtr text = TextOf(authorities);
  int count = 0;
  while (const X509Ptr authority = ReadCertificate(text.get())) {
    ::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context), authority.get());
    ++count;
  }
  ::ERR_clear_error();  // the end of the text
  if (count == 0) Refuse("the clients' authorities are no certificates in PEM");
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  static constexpr unsigned char kName[] = "gcsflux";  // else sessions cannot be resumed
  ::SSL_CTX_set_session_id_context(context, kName, sizeof kName - 1);
}

// Clients offer HTTP/2 first; this server speaks HTTP/1.1.
int ChooseHttp11(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                 unsigned int offered_size, void*) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* selected = nullptr;
  const int outcome = ::SSL_select_next_proto(&selected, chosen_size, kHttp11, sizeof kHttp11, offered, offered_size);
  if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

TlsContext::TlsContext(const TlsOptions& options) : context_(::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free) {
  if (context_ == nullptr) throw std::bad_alloc();
  ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_options(context_.get(), SSL_OP_NO_RENEGOTIATION);
  // Idle connections, which may be many, hold no buffers. A record takes one read, not two.
  ::SSL_CTX_set_mode(context_.get(), SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_read_ahead(context_.get(), 1);
  ::SSL_CTX_set_alpn_select_cb(context_.get(), &ChooseHttp11, nullptr);
  UseCertificates(context_.get(), options.certificate_chain);
  UseKey(context_.get(), options.private_key);
  if (!options.client_authorities.empty()) AskClients(context_.get(), options.client_authorities);
}

}  // namespace gcsflux::emulator
