#include "bodies/peeked_body.h"

#include <gtest/gtest.h>

#include <string>

#include "emulator/support/text_body.h"

namespace gcsflux::emulator {
namespace {

TEST(PeekedBody, IsReadWholeAfterAnyPeek) {
  for (const std::size_t peeked : {0, 1, 3, 5, 10, 99}) {
    TextBody inner("0123456789", false);
    PeekedBody body(inner);
    EXPECT_EQ(body.Peek(peeked), std::string("0123456789").substr(0, peeked));
    EXPECT_EQ(ReadToEnd(body), "0123456789") << "peeked at " << peeked;
    EXPECT_EQ(body.announced_size(), 10U);
  }
}

TEST(PeekedBody, BreaksWhereItsBodyBreaks) {
  for (const std::size_t peeked : {0, 4, 99}) {
    TextBody inner("01234", true);
    PeekedBody body(inner);
    body.Peek(peeked);
    EXPECT_EQ(ReadToEnd(body), "01234|broken") << "peeked at " << peeked;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
