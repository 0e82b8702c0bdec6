#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The parts of an absolute http or https URL.
struct Url {
  bool is_https = false;
  std::string host = {};  ///< Lower-case; an IPv6 address keeps its brackets.
  std::string port = {};  ///< Empty for the scheme's default port.
  std::string path = {};  ///< With its query; empty if there is none.
};

/// Nothing if `text` is not such a URL. Stricter than browsers and libcurl, so that no other program reads a different
/// host from it: no user, no fragment, no backslash, no blank, printable ASCII only.
std::optional<Url> ParseUrl(std::string_view text);

/// True if a secret may be sent unencrypted, because the host is this machine.
bool IsLoopbackHost(std::string_view host);
/// The same for a whole URL; false if it is not a URL.
bool IsLoopback(std::string_view url);

}  // namespace gcsflux::internal
