#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/child_program.h"

namespace gcsflux::emulator {

/// The beginning of the program's line, before its endpoint.
inline constexpr std::string_view kReady = "gcsflux-emulator listening on ";

/// The gcsflux-emulator program.
class Program : public gcsflux::testing::ChildProgram {
 public:
  explicit Program(std::vector<std::string> arguments) : ChildProgram(GCSFLUX_EMULATOR_PROGRAM, std::move(arguments)) {}
};

}  // namespace gcsflux::emulator
