#pragma once

#include <string>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/object.h"

namespace gcsflux::internal {

/// The identity of this process, without `started`.
RunIdentity MakeRunIdentity();

/// 32 random hexadecimal digits.
std::string RandomName();

/// The identity in the attributes of the object "writer", and back.
ObjectAttributes AttributesOf(const RunIdentity& identity);
RunIdentity IdentityOf(const ObjectMetadata& object);

/// "run 9f1c on host-a, process 17, since 2026-11-20T06:15:00.000Z".
std::string Describe(const RunIdentity& identity);

}  // namespace gcsflux::internal
