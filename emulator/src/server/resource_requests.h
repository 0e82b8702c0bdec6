#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api_error.h"
#include "store/bucket.h"
#include "store/object.h"
#include "store/pending_object.h"

namespace gcsflux::emulator {

/// What a client says of an object that it writes.
struct ObjectResource {
  std::optional<std::string> name = {};
  ObjectAttributes attributes = {};
  ExpectedHashes hashes = {};
};

struct ComposeResource {
  std::vector<ObjectSelector> sources = {};
  ObjectAttributes attributes = {};
  bool delete_source_objects = false;
};

// The JSON bodies of requests. Unknown fields are ignored; 400 where the text is not JSON or a value has a wrong type.
ApiResult<ObjectResource> ParseObjectResource(std::string_view json);
ApiResult<ComposeResource> ParseComposeResource(std::string_view json);
/// A JSON merge patch: null deletes.
ApiResult<AttributesChange> ParseObjectPatch(std::string_view json);

}  // namespace gcsflux::emulator
