#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace examples {

/// An object to store, and its bytes when they are needed.
struct MissingObject {
  std::string name;
  std::string content_type;
  std::function<std::vector<std::byte>()> bytes;
};

/// Stores the objects that are not there yet as `folder` and their names, several at a time. Returns how many those
/// were. Throws gcsflux::StorageError, and what `bytes` throws.
std::size_t StoreMissing(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                         std::vector<MissingObject> objects);

}  // namespace examples
