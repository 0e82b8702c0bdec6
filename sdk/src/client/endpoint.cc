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

}  // namespace

Result<std::string> ResolveEndpoint(const ClientOptions& options, const GetEnv& env) {
  auto [text, source] = FindEndpoint(options, env);
  std::string endpoint = text.find("://") == std::string::npos ? "http://" + text : text;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto url = ParseUrl(endpoint);
  if (!url || !url->path.empty()) {
    return Error{ErrorCode::kInvalidArgument, "endpoint '" + text.substr(0, 128) + "' (" + source +
                                                  ") must be http(s)://host[:port] without a path"};
  }
  return endpoint;
}

bool IsEmulatorNamed(const GetEnv& env) {
  return std::any_of(std::begin(kEmulatorVariables), std::end(kEmulatorVariables),
                     [&](const char* name) { return !env(name).value_or("").empty(); });
}

}  // namespace gcsflux::internal
