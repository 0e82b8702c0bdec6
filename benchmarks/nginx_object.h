#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "peer.h"

namespace gcsflux::bench {

/// nginx that answers a client's reads of one object as Cloud Storage does: from a file, with the headers of generation
/// and checksum. This costs nginx no more than any file.
class NginxObject {
 public:
  static constexpr const char* kBucket = "bench";
  static constexpr const char* kName = "object";

  /// Throws std::runtime_error if nginx does not start. With `is_https`, the command `openssl` makes a certificate.
  NginxObject(const std::string& content, bool is_https);
  ~NginxObject();
  NginxObject(const NginxObject&) = delete;
  NginxObject& operator=(const NginxObject&) = delete;

  [[nodiscard]] const std::string& endpoint() const { return nginx_->endpoint(); }
  /// Of the object's bytes.
  [[nodiscard]] std::string url() const;
  /// PEM file of the endpoint's certificate authority; empty without HTTPS.
  [[nodiscard]] const std::string& ca_file() const { return certificate_; }

 private:
  const std::filesystem::path directory_;
  std::string certificate_;
  std::optional<Nginx> nginx_;
};

}  // namespace gcsflux::bench
