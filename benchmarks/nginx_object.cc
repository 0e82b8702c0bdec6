#include "nginx_object.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <stdexcept>

#include "crc32c.h"

namespace gcsflux::bench {
namespace {

std::filesystem::path NewDirectory() {
  static std::atomic<int> count = 0;
  auto directory = std::filesystem::temp_directory_path() /
                   ("bench-nginx-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  std::filesystem::create_directory(directory);
  return directory;
}

std::string PathOf() { return std::string("/storage/v1/b/") + NginxObject::kBucket + "/o/" + NginxObject::kName; }

// A self-signed certificate for 127.0.0.1.
void MakeCertificate(const std::string& certificate, const std::string& private_key) {
  OutputOf(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 7 -subj /CN=127.0.0.1 "
      "-addext subjectAltName=IP:127.0.0.1 -keyout " +
      private_key + " -out " + certificate + " 2>/dev/null");
  if (!std::filesystem::exists(certificate)) throw std::runtime_error("openssl makes no certificate");
}

}  // namespace

NginxObject::NginxObject(const std::string& content, bool is_https) : directory_(NewDirectory()) {
  std::ofstream(directory_ / kName) << content;
  std::string private_key;
  if (is_https) {
    certificate_ = directory_ / "certificate.pem";
    private_key = directory_ / "key.pem";
    MakeCertificate(certificate_, private_key);
  }
  nginx_.emplace(
      directory_.string(),
      Nginx::Options{.certificate = certificate_,
                     .private_key = private_key,
                     .server_directives = "    location = " + PathOf() + " { alias " + (directory_ / kName).string() +
                                          "; add_header x-goog-generation 1; add_header x-goog-hash "
                                          "crc32c=" +
                                          Crc32cBase64(Crc32c(content)) + "; }\n"});
}

NginxObject::~NginxObject() {
  nginx_.reset();
  std::filesystem::remove_all(directory_);
}

std::string NginxObject::url() const { return endpoint() + PathOf() + "?alt=media"; }

}  // namespace gcsflux::bench
