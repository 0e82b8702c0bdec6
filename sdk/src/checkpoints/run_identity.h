#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "gcsflux/object.h"

namespace gcsflux::internal {

/// The writer of a run's steps, as the object "writer" below the run's prefix names it.
struct RunIdentity {
  std::string id = {};  ///< Random; no other run has it.
  std::string host = {};
  std::int64_t process = 0;
  std::chrono::system_clock::time_point started = {};  ///< By the service's clock.
};

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
