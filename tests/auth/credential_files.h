#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gcsflux::testing {

// Credential files in the form of Google's tools, for the identities of emulator/support/identity_fixture.h. `endpoint`
// is the emulator's, whose token endpoints they name.

nlohmann::json ServiceAccountFile(const std::string& endpoint);
nlohmann::json AuthorizedUserFile(const std::string& endpoint);
/// The viewer, who impersonates the user.
nlohmann::json ImpersonatedFile(const std::string& endpoint);
/// The workload, without a credential_source.
nlohmann::json ExternalAccountFile(const std::string& endpoint);

std::string ImpersonationUrl(const std::string& endpoint, const std::string& email);

}  // namespace gcsflux::testing
