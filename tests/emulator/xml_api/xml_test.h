#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {

/// The texts of all nodes at `xpath`, in their order.
std::vector<std::string> XmlTexts(const std::string& xml, const char* xpath);

/// The first of them, or "".
std::string XmlText(const std::string& xml, const char* xpath);

/// An emulator with an empty bucket "bucket", a connection to it, and the XML API's calls.
class XmlTest : public EmulatorTest {
 protected:
  void SetUp() override { ASSERT_EQ(Call("PUT", "/bucket").status, 200); }

  RawResponse Call(std::string_view method, std::string_view target, std::string_view headers = "",
                   std::string_view body = "") {
    return client_.Call(method, target, headers, body);
  }

  /// The answer's status and its error code, as in "404 NoSuchKey"; only the status if it has no code.
  std::string Outcome(std::string_view method, std::string_view target, std::string_view headers = "",
                      std::string_view body = "");
  static std::string OutcomeOf(const RawResponse& response);

  RawConnection client_{endpoint()};
};

}  // namespace gcsflux::emulator
