#include "client/endpoint.h"

#include <cstdlib>
#include <string_view>

namespace gcsflux::internal {
namespace {

struct Named {
  std::string text;
  std::string source;
};

Named FindEndpoint(const ClientOptions& options, const GetEnv& env) {
  if (!options.endpoint.empty()) return {options.endpoint, "ClientOptions::endpoint"};
  for (const char* name :
       {"STORAGE_EMULATOR_HOST", "CLOUD_STORAGE_EMULATOR_ENDPOINT", "CLOUD_STORAGE_TESTBENCH_ENDPOINT"}) {
    if (auto value = env(name); value && !value->empty()) return {*value, name};
  }
  return {"https://storage.googleapis.com", "the default"};
}

// "host:port" of "scheme://host:port".
std::string_view Authority(std::string_view endpoint) { return endpoint.substr(endpoint.find("://") + 3); }

std::string_view Host(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

}  // namespace

std::optional<std::string> ProcessEnv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env) {
  auto [text, source] = FindEndpoint(options, env);
  std::string endpoint = text.find("://") == std::string::npos ? "http://" + text : text;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const bool has_scheme = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  if (!has_scheme || Authority(endpoint).empty() ||
      Authority(endpoint).find_first_of("/?#@ \t\r\n") != std::string::npos) {
    return Error{ErrorCode::kInvalidArgument, "endpoint '" + text.substr(0, 128) + "' (" + source +
                                                  ") must be http(s)://host[:port] without a path"};
  }
  return endpoint;
}

bool IsLoopback(std::string_view endpoint) {
  const std::string_view host = Host(Authority(endpoint));
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace gcsflux::internal
