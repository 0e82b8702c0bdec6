// The flags of connections, certificates, proxies and headers.
#include <gflags/gflags.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "flags/flag_values.h"

DEFINE_double(connect_timeout_s, gcsflux::internal::InSeconds(gcsflux::ClientOptions().connect_timeout),
              "Time limit for name look-up, TCP and TLS together. Raise it on slow or distant networks.");
DEFINE_int32(stall_timeout_s, static_cast<int>(gcsflux::ClientOptions().stall_timeout.count()),
             "If no byte moves for this long, a request is cancelled and retried. Raise it for slow "
             "endpoints.");
DEFINE_int32(max_idle_connections, gcsflux::ClientOptions().max_idle_connections,
             "Connections kept open between requests. Raise it to at least the number of concurrent requests.");
DEFINE_int32(io_threads, 0,
             "Threads that carry downloads and listings, each with thousands of connections; with 0, one per "
             "processor, but at most 4. Set it to 1 if other work needs the processors.");
DEFINE_bool(require_checksum, false,
            "If the service gives no CRC32C for a whole object, its read fails. Set it if a proxy may remove "
            "headers.");
DEFINE_string(user_agent_prefix, "",
              "Precedes gcsflux/VERSION in the User-Agent header. Set it to find your own requests in logs.");
DEFINE_string(extra_headers, "",
              "Headers for every request to the endpoint: 'Name: value', several separated by |. Set it if a "
              "gateway or an audit needs them.");
DEFINE_string(ca_file, "",
              "PEM file with the certificates of the authorities to trust. Set it if a proxy or a private "
              "endpoint has its own certificate; if empty, CURL_CA_BUNDLE, then SSL_CERT_FILE, then the "
              "system's.");
DEFINE_string(client_certificate_file, "",
              "PEM file of the client's certificate. Set it if the endpoint requires mutual TLS.");
DEFINE_string(client_key_file, "",
              "PEM file of the certificate's key. Set it if the certificate's file does not hold the key.");
DEFINE_string(proxy, "",
              "Proxy, as [http|https|socks5h ...://][user:password@]host[:port], or none. Set it to override "
              "http_proxy, https_proxy and all_proxy, which hold if it is empty.");
DEFINE_string(no_proxy, "",
              "Hosts to reach without the proxy, separated by commas, or none. Set it to override the variable "
              "no_proxy, which holds if it is empty.");

namespace gcsflux::internal {
namespace {

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "Name: value|Name: value". Client::Create checks the headers.
Result<void> ReadHeaders(std::string_view text, ClientOptions& options) {
  while (!text.empty()) {
    const auto end = std::min(text.find('|'), text.size());
    const std::string_view header = text.substr(0, end);
    const auto colon = header.find(':');
    if (colon == std::string_view::npos) {
      return WrongFlag("flag --extra_headers: each header is written 'Name: value', and | stands between them");
    }
    options.extra_headers.emplace_back(Trim(header.substr(0, colon)), Trim(header.substr(colon + 1)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// Empty means the environment, which only an absent option expresses.
std::optional<std::string> UnlessNone(const std::string& flag) {
  if (flag.empty()) return std::nullopt;
  return flag == "none" ? "" : flag;
}

}  // namespace

Result<void> SetNetworkFromFlags(ClientOptions& options) {
  if (FLAGS_io_threads != 0) {
    if (auto read = ReadFlags({{"io_threads", &options.io_threads.emplace()}}); !read) return read;
  }
  auto read = ReadFlags({{"connect_timeout_s", &options.connect_timeout},
                         {"stall_timeout_s", &options.stall_timeout},
                         {"max_idle_connections", &options.max_idle_connections},
                         {"max_undelivered_bytes", &options.max_undelivered_bytes},
                         {"require_checksum", &options.require_checksum},
                         {"user_agent_prefix", &options.user_agent_prefix},
                         {"ca_file", &options.ca_file},
                         {"client_certificate_file", &options.client_certificate_file},
                         {"client_key_file", &options.client_key_file}});
  if (!read) return read;
  options.proxy = UnlessNone(FLAGS_proxy);
  options.no_proxy = UnlessNone(FLAGS_no_proxy);
  return ReadHeaders(FLAGS_extra_headers, options);
}

}  // namespace gcsflux::internal
