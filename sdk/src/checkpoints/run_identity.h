#pragma once

#include <string>

#include "gcsflux/object.h"
#include "gcsflux/step_writer.h"

namespace gcsflux::internal {

/// Of this process, without `started`.
RunIdentity MakeRunIdentity();

/// 32 hexadecimal digits that were never there before.
std::string RandomName();

/// The writer's object says who it is by its metadata.
ObjectAttributes AttributesOf(const RunIdentity& identity);
RunIdentity IdentityOf(const ObjectMetadata& object);

/// "run 9f1c on host-a, process 17, since 2026-11-20T06:15:00.000Z".
std::string Describe(const RunIdentity& identity);

}  // namespace gcsflux::internal
