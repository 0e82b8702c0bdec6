#pragma once

namespace gcsflux::emulator {

/// The kinds of requests that take different times, and that have different quotas.
enum class TrafficClass { kRead, kWrite, kList, kCompose, kDelete };

}  // namespace gcsflux::emulator
