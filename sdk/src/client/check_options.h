#pragma once

#include "client/client_core.h"
#include "wire/key_headers.h"
#include "wire/object_resource.h"

namespace gcsflux::internal {

/// kInvalidArgument where a key would travel in the clear, or an attribute cannot be one.
template <class Options>
Result<void> CheckOptions(const ClientCore& core, const Options& options) {
  if (auto checked = CheckKeyTravels(core.endpoint(), options.encryption_key); !checked) return checked;
  if constexpr (requires { options.source_encryption_key; }) {
    if (auto checked = CheckKeyTravels(core.endpoint(), options.source_encryption_key); !checked) return checked;
  }
  if constexpr (requires { options.attributes->metadata; }) {
    if (options.attributes) return CheckAttributes(*options.attributes);
  } else if constexpr (requires { options.attributes.metadata; }) {
    return CheckAttributes(options.attributes);
  }
  return {};
}

}  // namespace gcsflux::internal
