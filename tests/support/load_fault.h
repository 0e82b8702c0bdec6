#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gcsflux/emulator/emulator.h"

namespace gcsflux::testing {

/// Loads this rule as the only one; it acts at most `count` times.
inline void LoadFault(emulator::Emulator& emulator, std::string name, emulator::FaultMatch match,
                      emulator::FaultAction action, std::optional<std::uint64_t> count = std::nullopt) {
  emulator.faults().Load({.rules = {{.name = std::move(name),
                                     .match = std::move(match),
                                     .action = std::move(action),
                                     .limits = {.count = count}}}});
}

}  // namespace gcsflux::testing
