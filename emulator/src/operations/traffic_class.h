#pragma once

#include <optional>
#include <string_view>

namespace gcsflux::emulator {

/// What kinds of requests a service tells apart by how long they take, and by how many it takes.
enum class TrafficClass { kRead, kWrite, kList, kCompose, kDelete };

/// Of an operation and its phase, called as in the journal; nothing for what is none of the service's.
std::optional<TrafficClass> ClassOf(std::string_view operation, std::string_view phase);

/// Whether the request makes, changes or deletes an object when it succeeds.
bool MutatesObject(std::string_view operation, std::string_view phase);

}  // namespace gcsflux::emulator
