// The XML API's pure parts, by tables.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/time_format.h"
#include "http/xml_writer.h"
#include "xml_api/http_conditions.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_requests.h"

namespace gcsflux::emulator {
namespace {

constexpr auto kMd5 = "0123456789abcdef0123456789ABCDEF";

std::string Complete(const std::string& parts) {
  return "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
}
std::string Part(const std::string& number, const std::string& etag) {
  return "<Part><PartNumber>" + number + "</PartNumber><ETag>" + etag + "</ETag></Part>";
}

TEST(ParseCompleteUpload, ReadsTheFormsOfClients) {
  const std::string quoted = std::string("\"") + kMd5 + "\"";
  for (const std::string& xml :
       {Complete(Part("1", quoted) + Part("10000", kMd5)),
        Complete(Part(" 1\n", "&quot;" + std::string(kMd5) + "&#34;") + Part("10000", "\n " + quoted + " ")),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CompleteMultipartUpload "
        "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\n<!-- two -->" +
            Part("1", quoted) + "\n" + Part("10000", "<![CDATA[" + quoted + "]]>") + "</CompleteMultipartUpload>\n",
        std::string("<s3:CompleteMultipartUpload xmlns:s3='http://s3.amazonaws.com/doc/2006-03-01/'>") +
            "<s3:Part><s3:ETag>" + quoted + "</s3:ETag><s3:PartNumber>1</s3:PartNumber></s3:Part>" +
            Part("10000", quoted) + "</s3:CompleteMultipartUpload>",
        Complete("<Part><ChecksumCRC32C>x</ChecksumCRC32C><PartNumber>1</PartNumber><ETag>" + quoted +
                 "</ETag></Part>" + Part("10000", quoted))}) {
    const auto parts = ParseCompleteUpload(xml);
    ASSERT_TRUE(parts) << xml << ": " << parts.error().details;
    ASSERT_EQ(parts->size(), 2U) << xml;
    EXPECT_EQ(parts->at(0).number, 1) << xml;
    EXPECT_EQ(parts->at(1).number, 10000) << xml;
    EXPECT_EQ(parts->at(0).md5, ParseMd5Etag(kMd5)) << xml;
    EXPECT_EQ(parts->at(1).md5, ParseMd5Etag(kMd5)) << xml;
  }
}

TEST(ParseCompleteUpload, IgnoresAnEtagThatIsNoMd5) {
  const auto parts = ParseCompleteUpload(Complete(Part("1", "whatever")));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->at(0).md5, std::nullopt);
}

TEST(ParseCompleteUpload, RefusesOtherDocuments) {
  struct Case {
    std::string xml;
    XmlErrorCode want = XmlErrorCode::kMalformedXml;
  };
  const std::string part = Part("1", kMd5);
  const std::vector<Case> cases = {
      {""},
      {"hello"},
      {"{}"},
      {"<"},
      {"<CompleteMultipartUpload>"},
      {"<CompleteMultipartUpload>" + part},
      {Complete("")},
      {Complete("no part")},
      {Complete("<Other/>")},
      {Complete("<Part/>")},
      {Complete("<Part><PartNumber>1</PartNumber></Part>")},
      {Complete("<Part><ETag>x</ETag></Part>")},
      {Complete("<Part><PartNumber>1</PartNumber><PartNumber>1</PartNumber><ETag>x</ETag></Part>")},
      {Complete(Part("", kMd5))},
      {Complete(Part("one", kMd5))},
      {Complete(Part("1x", kMd5))},
      {Complete(Part("+1", kMd5))},
      {Complete(Part("1.0", kMd5))},
      {Complete(Part("99999999999999999999", kMd5))},
      {Complete(Part("0", kMd5)), XmlErrorCode::kInvalidArgument},
      {Complete(Part("-1", kMd5)), XmlErrorCode::kInvalidArgument},
      {Complete(Part("10001", kMd5)), XmlErrorCode::kInvalidArgument},
      {"<Complete>" + part + "</Complete>"},
      {"<CompleteMultipartUpload>" + part + "</Complete>"},
      {std::string("\0<a/>", 5)},
      {Complete(part) + std::string(1, '\0')},
      {std::string(100'000, '<')},
  };
  for (const Case& c : cases) {
    const auto parts = ParseCompleteUpload(c.xml);
    ASSERT_FALSE(parts) << c.xml;
    EXPECT_EQ(parts.error().code, c.want) << c.xml;
  }
}

TEST(ParseCompleteUpload, IsSafeAgainstDocumentTypes) {
  // Entities that would grow a billionfold, and one that names a file: neither is expanded.
  std::string bomb = "<!DOCTYPE x [<!ENTITY a0 'ha'>";
  for (int i = 1; i < 30; ++i) {
    bomb += "<!ENTITY a" + std::to_string(i) + " '&a" + std::to_string(i - 1) + ";&a" + std::to_string(i - 1) + ";'>";
  }
  bomb += "]>" + Complete(Part("1", "&a29;"));
  const auto expanded = ParseCompleteUpload(bomb);
  ASSERT_TRUE(expanded);
  EXPECT_EQ(expanded->at(0).md5, std::nullopt);
  const auto external = ParseCompleteUpload("<!DOCTYPE x [<!ENTITY number SYSTEM 'file:///etc/hostname'>]>" +
                                            Complete(Part("&number;", kMd5)));
  ASSERT_FALSE(external);
  EXPECT_EQ(external.error().code, XmlErrorCode::kMalformedXml);
}

TEST(ParseCompleteUpload, IsSafeAgainstDeepNesting) {
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "<a>";
  EXPECT_FALSE(ParseCompleteUpload(deep));
  for (int i = 0; i < 300'000; ++i) deep += "</a>";
  EXPECT_FALSE(ParseCompleteUpload(deep));
}

TEST(ParseBucketConfiguration, ReadsLocationAndStorageClass) {
  const auto both = ParseBucketConfiguration(
      "<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint><StorageClass>NEARLINE</StorageClass>"
      "</CreateBucketConfiguration>");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->location, "EU");
  EXPECT_EQ(both->storage_class, "NEARLINE");
  const auto none = ParseBucketConfiguration("<CreateBucketConfiguration/>");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->location, "");
  EXPECT_FALSE(ParseBucketConfiguration("<Other/>"));
}

TEST(ParseBucketConfiguration, RefusesALocationThatJsonCannotShow) {
  for (const char* location : {"E\xffU", "\xed\xa0\x80", "&#xD800;"}) {
    const auto refused =
        ParseBucketConfiguration("<CreateBucketConfiguration><LocationConstraint>" + std::string(location) +
                                 "</LocationConstraint></CreateBucketConfiguration>");
    ASSERT_FALSE(refused) << location;
    EXPECT_EQ(refused.error().code, XmlErrorCode::kMalformedXml);
  }
}

TEST(Md5Etag, RoundTrips) {
  const Body body{Rope("hello")};
  EXPECT_EQ(Md5Etag(body), "\"5d41402abc4b2a76b9719d911017c592\"");
  EXPECT_EQ(ParseMd5Etag(Md5Etag(body)), body.md5());
}

TEST(Md5Etag, RefusesOtherForms) {
  for (const char* etag : {"", "\"", "\"\"", "0123", "\"0123456789abcdef0123456789abcdeg\"",
                           "0123456789abcdef0123456789abcdef-2", "-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1"}) {
    EXPECT_EQ(ParseMd5Etag(etag), std::nullopt) << etag;
  }
}

TEST(XmlWriter, EscapesText) {
  XmlWriter xml;
  xml.Begin("a", "urn:x");
  xml.Element("b", "<&>\"'\r\n\t \xc3\xa9");
  xml.End("a");
  EXPECT_EQ(xml.Take(),
            "<?xml version='1.0' encoding='UTF-8'?><a xmlns='urn:x'><b>&lt;&amp;&gt;&quot;&#39;&#13;&#10;&#9; "
            "\xc3\xa9</b></a>");
}

TEST(XmlWriter, ReplacesCharactersThatXmlForbids) {
  for (const char* text : {"\x01", "\x1f", "\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    XmlWriter xml;
    xml.Text(text);
    EXPECT_TRUE(xml.Take().ends_with("\xef\xbf\xbd")) << static_cast<int>(text[0]);
  }
  XmlWriter xml;
  xml.Text("\x7f\xef\xbf\xbc\xef\xbf");  // the last ones are not characters, and are not repaired
  EXPECT_TRUE(xml.Take().ends_with("\x7f\xef\xbf\xbc\xef\xbf"));
}

TEST(ParseHttpDate, RoundTripsThroughFormatHttpDate) {
  for (const std::int64_t seconds : {0LL, 951'782'399LL, 951'782'400LL, 1'795'155'900LL, 4'102'444'799LL}) {
    const Time time{std::chrono::seconds(seconds)};
    EXPECT_EQ(ParseHttpDate(FormatHttpDate(time)), time) << seconds;
  }
}

TEST(ParseHttpDate, RefusesOtherForms) {
  for (const char* text :
       {"", "now", "Fri, 20 Nov 2026 06:25:00", "Fri, 20 Nov 2026 06:25:00 GMT ", "Fri, 31 Feb 2026 06:25:00 GMT",
        "Fri, 20 Foo 2026 06:25:00 GMT", "Fri, 20 Nov 2026 24:00:00 GMT", "20 Nov 2026 06:25:00 GMT",
        "Fri, 20 Nov 2026 06:60:00 GMT", "2026-11-20T06:25:00Z"}) {
    EXPECT_EQ(ParseHttpDate(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
