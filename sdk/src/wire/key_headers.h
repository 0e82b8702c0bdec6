#pragma once

#include <optional>
#include <string>

#include "gcsflux/encryption_key.h"
#include "http/transport.h"

// https://cloud.google.com/storage/docs/encryption/customer-supplied-keys#request-headers
namespace gcsflux::internal {

/// Adds the key of the object that is read or written; nothing where there is none. What goes in the clear goes to this
/// machine, past every proxy.
void AddKey(HttpRequest& request, const std::optional<EncryptionKey>& key);
/// Adds the key of the object that is copied from.
void AddSourceKey(HttpRequest& request, const std::optional<EncryptionKey>& key);

/// kInvalidArgument where the key would go over plain http to another machine.
Result<void> CheckKeyTravels(const std::string& endpoint, const std::optional<EncryptionKey>& key);

}  // namespace gcsflux::internal
