#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {

/// A GoogleTest fixture: each test has an empty emulator of its own.
///
/// Header only, so that the emulator's library does not depend on GoogleTest.
class EmulatorTest : public ::testing::Test {
 protected:
  [[nodiscard]] Emulator& emulator() { return emulator_; }
  /// "http://127.0.0.1:PORT".
  [[nodiscard]] const std::string& endpoint() const { return emulator_.endpoint(); }

 private:
  Emulator emulator_;
};

}  // namespace gcsflux::emulator
