#include "support/tls_flight.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <stdexcept>

namespace gcsflux::testing {
namespace {

template <class Object, void (*kFree)(Object*)>
struct Free {
  void operator()(Object* object) const { kFree(object); }
};
template <class Object, void (*kFree)(Object*)>
using Owned = std::unique_ptr<Object, Free<Object, kFree>>;

void FreeBio(BIO* bio) { BIO_free_all(bio); }
using Bio = Owned<BIO, FreeBio>;

Bio BioOf(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

void Use(SSL_CTX* context, const emulator::CertificatePem& pem) {
  const Owned<X509, X509_free> certificate(PEM_read_bio_X509(BioOf(pem.certificate).get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY, EVP_PKEY_free> key(
      PEM_read_bio_PrivateKey(BioOf(pem.private_key).get(), nullptr, nullptr, nullptr));
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    throw std::runtime_error("OpenSSL does not take the certificate");
  }
}

}  // namespace

std::string ReadClientHello(RawServer::Connection& connection) {
  std::string header = connection.Read(5);
  if (header.size() < 5) return header;
  return header + connection.Read(static_cast<unsigned char>(header[3]) * 256U + static_cast<unsigned char>(header[4]));
}

std::string ServerFlight(const emulator::CertificatePem& pem, std::string_view client_hello, int version) {
  const Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_server_method()));
  Use(context.get(), pem);
  SSL_CTX_set_max_proto_version(context.get(), version);
  const Owned<SSL, SSL_free> session(SSL_new(context.get()));
  BIO* const heard = BIO_new(BIO_s_mem());
  BIO* const said = BIO_new(BIO_s_mem());
  SSL_set_bio(session.get(), heard, said);  // which owns both
  BIO_write(heard, client_hello.data(), static_cast<int>(client_hello.size()));
  SSL_accept(session.get());
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(said, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace gcsflux::testing
