#include "emulator/support/tls_connection.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <stdexcept>

namespace gcsflux::emulator {
namespace {

void Trust(SSL_CTX* context, const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&::BIO_free)> text(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                         &::BIO_free);
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(
      ::PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &::X509_free);
  ::X509_STORE_add_cert(::SSL_CTX_get_cert_store(context), certificate.get());
  ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

}  // namespace

TlsConnection::TlsConnection(const std::string& endpoint, const TlsClientOptions& options)
    : RawConnection(endpoint),
      context_(::SSL_CTX_new(::TLS_client_method()), &::SSL_CTX_free),
      session_(nullptr, &::SSL_free) {
  if (!options.trusted.empty()) Trust(context_.get(), options.trusted);
  if (options.max_version != 0) {
    ::SSL_CTX_set_security_level(context_.get(), 0);  // below 1 the library itself refuses old versions
    ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    ::SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
  }
  session_.reset(::SSL_new(context_.get()));
  ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session_.get()), "127.0.0.1");
  if (!options.alpn.empty()) {
    ::SSL_set_alpn_protos(session_.get(), reinterpret_cast<const unsigned char*>(options.alpn.data()),
                          static_cast<unsigned int>(options.alpn.size()));
  }
  ::SSL_set_fd(session_.get(), socket());
  if (::SSL_connect(session_.get()) == 1) return;
  const char* reason = ::ERR_reason_error_string(::ERR_get_error());
  ::ERR_clear_error();
  throw std::runtime_error(std::string("TLS handshake: ") + (reason != nullptr ? reason : "connection closed"));
}

void TlsConnection::Send(std::string_view bytes) {
  if (!bytes.empty()) ::SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()));
  ::ERR_clear_error();
}

std::string TlsConnection::Version() const { return ::SSL_get_version(session_.get()); }

std::string TlsConnection::Alpn() const {
  const unsigned char* chosen = nullptr;
  unsigned int size = 0;
  ::SSL_get0_alpn_selected(session_.get(), &chosen, &size);
  return {reinterpret_cast<const char*>(chosen), size};
}

bool TlsConnection::WasClosedProperly() const {
  return (::SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

std::ptrdiff_t TlsConnection::ReceiveSome(std::span<char> into) {
  errno = 0;
  const int received = ::SSL_read(session_.get(), into.data(), static_cast<int>(into.size()));
  ::ERR_clear_error();
  return received;
}

}  // namespace gcsflux::emulator
