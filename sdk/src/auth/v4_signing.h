#pragma once

#include <chrono>
#include <map>
#include <string>

#include "gcsflux/result.h"

// What a V4 signature is of: https://cloud.google.com/storage/docs/authentication/signatures and
// https://cloud.google.com/storage/docs/authentication/canonical-requests
namespace gcsflux::internal {

/// What is to be signed.
struct V4Request {
  std::string method = {};                          ///< "GET"
  std::string scheme = {};                          ///< "https"
  std::string host = {};                            ///< With a port that is not the scheme's own.
  std::string path = {};                            ///< Encoded, from the first slash on.
  std::map<std::string, std::string> headers = {};  ///< The headers of the later request, except Host.
  std::map<std::string, std::string> query = {};    ///< Not encoded.
  std::chrono::seconds lifetime{};
  std::chrono::system_clock::time_point signed_at = {};
  std::string account = {};  ///< The signer's e-mail address.
};

/// A request in its canonical form, which has one signature.
struct V4Canonical {
  std::string query = {};  ///< As in the URL, without the signature.
  std::string request = {};
  std::string string_to_sign = {};  ///< The text to sign: RSASSA-PKCS1-v1_5 with SHA-256.
};

/// Returns kInvalidArgument if a header or a parameter cannot be signed: invalid names, line breaks, Host, and what the
/// signature itself adds.
Result<V4Canonical> Canonicalize(const V4Request& request);

/// The URL with its signature, given as bytes.
std::string SignedUrlOf(const V4Request& request, const V4Canonical& canonical, std::string_view signature);

/// Encodes a path's segments, but not its slashes.
std::string EncodePath(std::string_view name);

}  // namespace gcsflux::internal
