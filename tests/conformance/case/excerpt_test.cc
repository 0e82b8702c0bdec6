#include "case/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

TEST(Excerpt, QuotesAndEscapes) {
  EXPECT_EQ(Excerpt(std::string_view("a\"b\n\x01")), R"("a\"b\n\u0001")");
  EXPECT_EQ(Excerpt(std::string_view("\xff")), "\"\xEF\xBF\xBD\"");
}

TEST(Excerpt, CutsAt256Bytes) {
  EXPECT_EQ(Excerpt(std::string_view(std::string(256, 'x'))), '"' + std::string(256, 'x') + '"');
  EXPECT_EQ(Excerpt(std::string_view(std::string(257, 'x'))), '"' + std::string(256, 'x') + "\"... (257 bytes)");
}

TEST(Redact, HidesEachOccurrenceOfTheToken) {
  EXPECT_EQ(Redact("a s3cret b s3crets3cret", "s3cret"), "a <token> b <token><token>");
  EXPECT_EQ(Redact("no token given", ""), "no token given");
}

TEST(Redact, HidesUploadIds) {
  EXPECT_EQ(Redact("http://h/o?name=a&upload_id=AbC-_%3D&x=1", ""), "http://h/o?name=a&upload_id=<id>&x=1");
}

TEST(Redact, HidesSignaturesAndKeys) {
  EXPECT_EQ(Redact("/b/o?X-Goog-Signature=0a1b&x=1", ""), "/b/o?X-Goog-Signature=<signature>&x=1");
  EXPECT_EQ(Redact(R"({"secret": "0a1b", "x": 1})", ""), R"({"secret": "<secret>", "x": 1})");
  EXPECT_EQ(Redact(Excerpt(std::string_view(R"({"secret":"0a1b"})")), ""), R"("{\"secret\":\"<secret>\"}")");
}

}  // namespace
}  // namespace gcsflux::conformance
