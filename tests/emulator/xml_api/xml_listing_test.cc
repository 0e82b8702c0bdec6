// Listings of objects through the XML API.

#include <set>
#include <string>
#include <vector>

#include "emulator/xml_api/xml_test.h"
#include "support/concatenated.h"

namespace gcsflux::emulator {
namespace {

using Names = std::vector<std::string>;

class XmlListingTest : public XmlTest {
 protected:
  void SetUp() override {
    XmlTest::SetUp();
    for (const char* name : {"a", "b", "d/1", "d/2", "d/e/3", "d0", "z"}) {
      ASSERT_EQ(Call("PUT", std::string("/bucket/") + name, "", name).status, 200);
    }
  }

  std::string List(const std::string& query) { return Call("GET", "/bucket?" + query).body; }
  static Names Keys(const std::string& xml) { return XmlTexts(xml, "/ListBucketResult/Contents/Key"); }
  static Names Prefixes(const std::string& xml) { return XmlTexts(xml, "/ListBucketResult/CommonPrefixes/Prefix"); }
};

TEST_F(XmlListingTest, ShowsTheFieldsOfGcs) {
  const std::string xml = List("prefix=a");
  EXPECT_NE(xml.find("<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'>"), std::string::npos) << xml;
  EXPECT_EQ(XmlText(xml, "/ListBucketResult/Name"), "bucket");
  EXPECT_EQ(XmlText(xml, "/ListBucketResult/Prefix"), "a");
  EXPECT_EQ(XmlText(xml, "/ListBucketResult/IsTruncated"), "false");
  const RawResponse head = Call("HEAD", "/bucket/a");
  EXPECT_EQ(XmlText(xml, "//Contents/Key"), "a");
  EXPECT_EQ(XmlText(xml, "//Contents/Size"), "1");
  EXPECT_EQ(XmlText(xml, "//Contents/ETag"), head.Header("etag"));
  EXPECT_EQ(XmlText(xml, "//Contents/Generation"), head.Header("x-goog-generation"));
  EXPECT_EQ(XmlText(xml, "//Contents/MetaGeneration"), "1");
  EXPECT_NE(XmlText(xml, "//Contents/LastModified"), "");
}

TEST_F(XmlListingTest, HonoursPrefixDelimiterAndMarkers) {
  struct Case {
    std::string query;
    Names keys;
    Names prefixes = {};
  };
  const std::vector<Case> cases = {
      {"", {"a", "b", "d/1", "d/2", "d/e/3", "d0", "z"}},
      {"prefix=d/", {"d/1", "d/2", "d/e/3"}},
      {"prefix=none", {}},
      {"delimiter=/", {"a", "b", "d0", "z"}, {"d/"}},
      {"delimiter=/&prefix=d/", {"d/1", "d/2"}, {"d/e/"}},
      {"delimiter=/&prefix=d", {"d0"}, {"d/"}},
      {"marker=b", {"d/1", "d/2", "d/e/3", "d0", "z"}},
      {"marker=c", {"d/1", "d/2", "d/e/3", "d0", "z"}},
      {"marker=z", {}},
      {"marker=b&delimiter=/", {"d0", "z"}, {"d/"}},
      {"marker=d/&delimiter=/", {"d0", "z"}},
      {"marker=d/1&delimiter=/", {"d0", "z"}, {"d/"}},
      {"marker=d/", {"d/1", "d/2", "d/e/3", "d0", "z"}},
      {"list-type=2&start-after=b", {"d/1", "d/2", "d/e/3", "d0", "z"}},
      {"list-type=2&delimiter=/", {"a", "b", "d0", "z"}, {"d/"}},
      {"list-type=2&marker=b", {"a", "b", "d/1", "d/2", "d/e/3", "d0", "z"}},
      {"max-keys=0", {}},
  };
  for (const Case& c : cases) {
    const std::string xml = List(c.query);
    EXPECT_EQ(Keys(xml), c.keys) << c.query;
    EXPECT_EQ(Prefixes(xml), c.prefixes) << c.query;
    EXPECT_EQ(XmlText(xml, "/ListBucketResult/IsTruncated"), "false") << c.query;
  }
}

// With pages of any size and form, all of them together show everything once, in order.
TEST_F(XmlListingTest, ListsEachObjectOnceAcrossPages) {
  for (const std::string form : {"list-type=1", "list-type=2"}) {
    const bool is_version_2 = form.back() == '2';
    for (const std::string delimiter : {"", "/"}) {
      for (int size = 1; size <= 8; ++size) {
        const std::string query =
            testing::Concatenated({form, "&delimiter=", delimiter, "&max-keys=", std::to_string(size)});
        std::multiset<std::string> shown;
        std::string position;
        for (int pages = 0; pages < 10; ++pages) {
          const std::string xml = List(query + position);
          const Names keys = Keys(xml);
          const Names prefixes = Prefixes(xml);
          shown.insert(keys.begin(), keys.end());
          shown.insert(prefixes.begin(), prefixes.end());
          if (is_version_2) {
            EXPECT_EQ(XmlText(xml, "//KeyCount"), std::to_string(keys.size() + prefixes.size()));
          }
          if (XmlText(xml, "//IsTruncated") == "false") break;
          EXPECT_EQ(keys.size() + prefixes.size(), static_cast<std::size_t>(size));
          position = is_version_2 ? "&continuation-token=" + XmlText(xml, "//NextContinuationToken")
                                  : "&marker=" + XmlText(xml, "//NextMarker");
        }
        const std::multiset<std::string> want =
            delimiter.empty() ? std::multiset<std::string>{"a", "b", "d/1", "d/2", "d/e/3", "d0", "z"}
                              : std::multiset<std::string>{"a", "b", "d/", "d0", "z"};
        EXPECT_EQ(shown, want) << query;
      }
    }
  }
}

TEST_F(XmlListingTest, EncodesNamesIfAsked) {
  ASSERT_EQ(Call("PUT", "/bucket/x/%01%20%26%C3%A9", "", "x").status, 200);
  const std::string xml = List("prefix=x/%01&encoding-type=url");
  EXPECT_EQ(Keys(xml), (Names{"x/%01%20%26%C3%A9"}));
  EXPECT_EQ(XmlText(xml, "/ListBucketResult/Prefix"), "x/%01");
  EXPECT_EQ(XmlText(xml, "/ListBucketResult/EncodingType"), "url");
}

TEST_F(XmlListingTest, EscapesNames) {
  ASSERT_EQ(Call("PUT", "/bucket/%3C%26%22%09", "", "x").status, 200);
  EXPECT_EQ(Keys(List("prefix=%3C")), (Names{"<&\"\t"}));
}

TEST_F(XmlListingTest, RefusesMalformedParameters) {
  for (const char* query : {"max-keys=x", "max-keys=-1", "max-keys=99999999999999999999", "list-type=3",
                            "encoding-type=base64", "list-type=2&continuation-token=nonsense"}) {
    EXPECT_EQ(Outcome("GET", std::string("/bucket?") + query), "400 InvalidArgument") << query;
  }
  EXPECT_EQ(Outcome("GET", "/none"), "404 NoSuchBucket");
}

}  // namespace
}  // namespace gcsflux::emulator
