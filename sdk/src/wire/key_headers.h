#pragma once

#include <optional>
#include <string>

#include "gcsflux/object.h"
#include "http/transport.h"

// https://cloud.google.com/storage/docs/encryption/customer-supplied-keys#request-headers
namespace gcsflux::internal {

/// Adds the key of the object that is read or written, if it has one.
void AddKey(HttpRequest& request, const std::optional<EncryptionKey>& key);
/// Adds the key of the source of a copy.
void AddSourceKey(HttpRequest& request, const std::optional<EncryptionKey>& key);

/// Returns kInvalidArgument if the key would go over plain http to another machine.
Result<void> CheckKeyTravels(const std::string& endpoint, const std::optional<EncryptionKey>& key);

}  // namespace gcsflux::internal
