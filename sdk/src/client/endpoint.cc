#include "client/endpoint.h"

#include <algorithm>
#include <iterator>

namespace gcsflux::internal {
namespace {

struct Named {
  std::string text;
  std::string source;
};

constexpr const char* kEmulatorVariables[] = {"STORAGE_EMULATOR_HOST", "CLOUD_STORAGE_EMULATOR_ENDPOINT",
                                              "CLOUD_STORAGE_TESTBENCH_ENDPOINT"};

Named FindEndpoint(const ClientOptions& options, const GetEnv& env) {
  if (!options.endpoint.empty()) return {options.endpoint, "ClientOptions::endpoint"};
  for (const char* name : kEmulatorVariables) {
    if (auto value = env(name); value && !value->empty()) return {*value, name};
  }
  return {"https://storage.googleapis.com", "the default"};
}

// A user and a password before the host are not shown. What is no URL may have any '@'.
std::string ShownEndpoint(const std::string& text) {
  const auto scheme = text.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const auto at = text.rfind('@');
  const bool has_user = at != std::string::npos && at >= begin;
  const std::string shown = has_user ? text.substr(0, begin) + "[secret]" + text.substr(at) : text;
  return shown.substr(0, 128);
}

}  // namespace

Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env) {
  auto [text, source] = FindEndpoint(options, env);
  std::string endpoint = text.find("://") == std::string::npos ? "http://" + text : text;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto url = ParseUrl(endpoint);
  if (!url || !url->path.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "endpoint '" + ShownEndpoint(text) + "' (" + source +
                     ") must be http(s)://host[:port] without a path, a user or a password"};
  }
  return endpoint;
}

bool IsEmulatorNamed(const GetEnv& env) {
  return std::any_of(std::begin(kEmulatorVariables), std::end(kEmulatorVariables),
                     [&](const char* name) { return !env(name).value_or("").empty(); });
}

}  // namespace gcsflux::internal
