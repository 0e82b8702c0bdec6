#include "auth/find_credentials.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "auth/credential_urls.h"
#include "auth/parse_credentials.h"

namespace gcsflux::internal {
namespace {

constexpr auto kFileVariable = "GOOGLE_APPLICATION_CREDENTIALS";
constexpr auto kHostVariable = "GCE_METADATA_HOST";
// The address, because a look-up of the name can take seconds if there is no such server.
constexpr auto kMetadataAddress = "169.254.169.254";

std::string Value(const GetEnv& env, const char* name) { return env(name).value_or(""); }

// The path of gcloud's file. Empty if no variable gives its directory.
std::string WellKnownPath(const GetEnv& env) {
  constexpr auto kName = "/application_default_credentials.json";
  if (const auto config = Value(env, "CLOUDSDK_CONFIG"); !config.empty()) return config + kName;
  const auto home = Value(env, "HOME");
  return home.empty() ? "" : home + "/.config/gcloud" + kName;
}

Result<CredentialConfig> MetadataServerOf(const GetEnv& env, std::string looked_at) {
  const auto host = FindMetadataHost(env);
  if (!host) return host.error();
  return CredentialConfig{.kind = MetadataServer{*host, std::move(looked_at)}};
}

}  // namespace

Result<std::string> FindMetadataHost(const GetEnv& env) {
  std::string named = Value(env, kHostVariable);
  if (named.empty()) return std::string(kMetadataAddress);
  if (IsMetadataHost(named)) return named;
  return Error{ErrorCode::kInvalidArgument,
               std::string(kHostVariable) +
                   " names neither this machine nor Google's metadata server (169.254.169.254): a token would come "
                   "in the clear from another host"};
}

Result<std::optional<std::string>> ReadLocalFile(const std::string& path) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    const bool is_absent = status.type() == std::filesystem::file_type::not_found;
    return is_absent ? Result<std::optional<std::string>>(std::nullopt)
                     : Error{ErrorCode::kLocalIo, "cannot be looked at: " + error.message()};
  }
  if (std::filesystem::is_directory(status)) return Error{ErrorCode::kLocalIo, "is a directory"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kLocalIo, std::string("cannot be opened: ") + std::strerror(errno)};
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{ErrorCode::kLocalIo, "cannot be read"};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) return Error{ErrorCode::kLocalIo, "is larger than 1 MiB"};
  return std::optional(std::move(text));
}

Result<CredentialConfig> LoadCredentials(const std::string& path, const std::string& source, const ReadFile& read) {
  const std::string subject = "credential file '" + path + "' (" + source + ")";
  auto text = read(path);
  if (!text) return Error{text.error().code, subject + " " + text.error().message};
  if (!*text) return Error{ErrorCode::kLocalIo, subject + " is not there"};
  auto config = ParseCredentials(**text);
  if (!config) {
    return Error{config.error().code, subject + ": " + config.error().message +
                                          "; make it again (`gcloud auth application-default login`, or a key from the "
                                          "console)"};
  }
  return config;
}

Result<CredentialConfig> FindApplicationDefault(const GetEnv& env, const ReadFile& read) {
  if (const auto path = Value(env, kFileVariable); !path.empty()) return LoadCredentials(path, kFileVariable, read);
  std::string looked_at = std::string(kFileVariable) + " is not set; ";
  const std::string well_known = WellKnownPath(env);
  if (well_known.empty()) return MetadataServerOf(env, looked_at + "neither CLOUDSDK_CONFIG nor HOME is set");
  const auto text = read(well_known);
  if (!text || *text) return LoadCredentials(well_known, "gcloud's", read);
  return MetadataServerOf(env, looked_at + "there is no " + well_known);
}

}  // namespace gcsflux::internal
