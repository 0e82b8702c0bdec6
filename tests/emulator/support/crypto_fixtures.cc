#include "emulator/support/crypto_fixtures.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace gcsflux::emulator {
namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&::BIO_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;

template <class Write>
std::string ToPem(Write write) {
  const BioPtr text(::BIO_new(::BIO_s_mem()), &::BIO_free);
  if (write(text.get()) != 1) throw std::runtime_error("cannot write PEM");
  char* data = nullptr;
  const long size = ::BIO_get_mem_data(text.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string PrivatePem(EVP_PKEY* key) {
  return ToPem([&](BIO* to) { return ::PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

KeyPem MakeRsaKey() {
  const KeyPtr key(::EVP_RSA_gen(2048), &::EVP_PKEY_free);
  return {PrivatePem(key.get()), ToPem([&](BIO* to) { return ::PEM_write_bio_PUBKEY(to, key.get()); })};
}

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

const KeyPem& TestKey(int number) {
  static std::mutex mutex;
  static std::map<int, KeyPem> keys;
  const std::scoped_lock lock(mutex);
  const auto found = keys.find(number);
  return found != keys.end() ? found->second : keys.emplace(number, MakeRsaKey()).first->second;
}

CertificatePem MakeCertificate(const CertificateOptions& options) {
  const KeyPtr key(::EVP_EC_gen("P-256"), &::EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&::X509_free)> certificate(::X509_new(), &::X509_free);
  ::X509_set_version(certificate.get(), 2);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate.get()), 1);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -86400);
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), options.ends_in.count());
  ::X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = ::X509_get_subject_name(certificate.get());
  ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, Bytes("emulator"), -1, -1, 0);
  ::X509_set_issuer_name(certificate.get(), name);
  X509_EXTENSION* names = ::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, options.names.c_str());
  ::X509_add_ext(certificate.get(), names, -1);
  ::X509_EXTENSION_free(names);
  if (::X509_sign(certificate.get(), key.get(), ::EVP_sha256()) == 0) throw std::runtime_error("cannot sign");
  return {ToPem([&](BIO* to) { return ::PEM_write_bio_X509(to, certificate.get()); }), PrivatePem(key.get())};
}

std::string SignRs256(std::string_view text, const std::string& private_key) {
  const BioPtr pem(::BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())), &::BIO_free);
  const KeyPtr key(::PEM_read_bio_PrivateKey(pem.get(), nullptr, nullptr, nullptr), &::EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  std::size_t size = static_cast<std::size_t>(::EVP_PKEY_get_size(key.get()));
  std::string signature(size, '\0');
  if (::EVP_DigestSignInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key.get()) != 1 ||
      ::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, Bytes(text),
                       text.size()) != 1) {
    throw std::runtime_error("cannot sign");
  }
  signature.resize(size);
  return signature;
}

std::string SignHs256(std::string_view text, std::string_view secret) {
  std::string code(32, '\0');
  unsigned int size = 0;
  ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()), Bytes(text), text.size(),
         reinterpret_cast<unsigned char*>(code.data()), &size);
  return code;
}

std::string ToBase64Url(std::string_view bytes) {
  std::string text(4 * (bytes.size() / 3 + 1) + 1, '\0');
  const int size =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), Bytes(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  text.resize(text.find_last_not_of('=') + 1);
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::string UnsignedJwt(const nlohmann::json& header, const nlohmann::json& claims) {
  return ToBase64Url(header.dump()) + "." + ToBase64Url(claims.dump());
}

std::string SignedJwt(const nlohmann::json& header, const nlohmann::json& claims, const std::string& private_key) {
  const std::string text = UnsignedJwt(header, claims);
  return text + "." + ToBase64Url(SignRs256(text, private_key));
}

std::int64_t SecondsOf(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace gcsflux::emulator
