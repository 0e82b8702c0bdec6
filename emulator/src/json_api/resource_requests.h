#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/api_error.h"
#include "store/buckets/bucket.h"
#include "store/objects/object.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

/// What a client sets on an object that it writes.
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

// The JSON bodies of requests. Unknown fields are ignored. 400 if the text is not JSON or a value has a wrong type.
ApiResult<ObjectResource> ParseObjectResource(std::string_view json);
ApiResult<ComposeResource> ParseComposeResource(std::string_view json);
// Changes of an object. They cannot change its storage class: a rewrite does that.
/// A JSON merge patch: null deletes.
ApiResult<AttributesChange> ParseObjectPatch(std::string_view json);
/// Attributes that the resource lacks are deleted, except for the custom time, access and retention: once set, they
/// stay.
ApiResult<AttributesChange> ParseObjectUpdate(std::string_view json);

}  // namespace gcsflux::emulator
