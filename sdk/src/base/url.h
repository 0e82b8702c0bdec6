#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The parts of an absolute http or https URL.
struct Url {
  bool is_https = false;
  std::string host = {};  ///< Lower-case; an IPv6 address keeps its brackets.
  std::string port = {};  ///< Empty where it is the scheme's own.
  std::string path = {};  ///< With its query; empty where there is none.
};

/// Nothing where `text` is no such URL. Stricter than browsers and libcurl, so that nobody reads another host out of
/// it than we do: no user, no fragment, no backslash, no blank, printable ASCII only.
std::optional<Url> ParseUrl(std::string_view text);

/// True where a secret may travel in the clear: the host is this machine.
bool IsLoopbackHost(std::string_view host);
/// The same of a whole URL; false where it is none.
bool IsLoopback(std::string_view url);

}  // namespace gcsflux::internal
