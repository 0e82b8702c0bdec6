// The hashes are those that Google publishes for its clients' conformance:
// https://github.com/googleapis/conformance-tests/tree/main/storage/v1 (v4_signatures.json).
#include "auth/v4_signing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fails_with.h"

namespace gcsflux::internal {
namespace {

using ::testing::HasSubstr;

constexpr auto kNine = std::chrono::hours(9);

V4Request Request() {
  return {.method = "GET",
          .scheme = "https",
          .host = "storage.googleapis.com",
          .path = "/test-bucket/test-object",
          .lifetime = std::chrono::seconds(10),
          .signed_at = std::chrono::sys_days(std::chrono::February / 1 / 2019) + kNine,
          .account = "test-iam-credentials@dummy-project-id.iam.gserviceaccount.com"};
}

TEST(V4Signing, ProducesTheCanonicalRequest) {
  const auto canonical = Canonicalize(Request());
  ASSERT_TRUE(canonical.ok());
  EXPECT_EQ(canonical->request,
            "GET\n"
            "/test-bucket/test-object\n"
            "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=test-iam-credentials%40dummy-project-id.iam."
            "gserviceaccount.com%2F20190201%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20190201T090000Z&"
            "X-Goog-Expires=10&X-Goog-SignedHeaders=host\n"
            "host:storage.googleapis.com\n"
            "\n"
            "host\n"
            "UNSIGNED-PAYLOAD");
  EXPECT_EQ(canonical->string_to_sign,
            "GOOG4-RSA-SHA256\n20190201T090000Z\n20190201/auto/storage/goog4_request\n"
            "00e2fb794ea93d7adb703edaebdd509821fcc7d4f1a79ac5c8d2b394df109320");
  EXPECT_EQ(SignedUrlOf(Request(), *canonical, "\x01\xAB"),
            "https://storage.googleapis.com/test-bucket/test-object?" + canonical->query + "&X-Goog-Signature=01ab");
}

TEST(V4Signing, AgreesWithPublishedHashes) {
  struct Case {
    const char* name;
    void (*change)(V4Request&);
    const char* want;
  };
  const Case cases[] = {
      {"PUT", [](V4Request& r) { r.method = "PUT"; },
       "78742860705da91404222d5d66ff89850292471199c3c2808d116ad12e6177b4"},
      {"start of an upload",
       [](V4Request& r) {
         r.method = "POST";
         r.headers = {{"X-Goog-Resumable", "start"}};
       },
       "877f8b40179d2753296f2fd6de815ab40503c7a3c446a7b44aa4e74422ff4daf"},
      {"another time",
       [](V4Request& r) {
         r.lifetime = std::chrono::seconds(20);
         r.signed_at = std::chrono::sys_days(std::chrono::March / 1 / 2019) + kNine;
       },
       "779f19fdb6fd381390e2d5af04947cf21750277ee3c20e0c97b7e46a1dff8907"},
      {"a leading slash",
       [](V4Request& r) {
         r.path = "/test-bucket/" + EncodePath("/path/with/slashes/under_score/amper&sand/file.ext");
       },
       "63c601ecd6ccfec84f1113fc906609cbdf7651395f4300cecd96ddd2c35164f8"},
      {"headers",
       [](V4Request& r) {
         r.headers = {{"BAR", "BAR-value"}, {"foo", "foo-value"}};
       },
       "59c1ac1a6ee7d773d5c4487ecc861d60b71c4871dd18fc7d8485fac09df1d296"},
      {"headers with colons",
       [](V4Request& r) {
         r.headers = {{"BAR", "2023-02-10T03:"}, {"foo", "2023-02-10T02:00:00Z"}};
       },
       "a2a6df7e6bd818894e1f60ac3c393901b512ca1cf1061ba602dace3fb38c19a6"},
  };
  for (const auto& [name, change, want] : cases) {
    V4Request request = Request();
    change(request);
    const auto canonical = Canonicalize(request);
    ASSERT_TRUE(canonical.ok()) << name;
    EXPECT_TRUE(canonical->string_to_sign.ends_with(std::string("\n") + want)) << name << "\n" << canonical->request;
  }
}

TEST(V4Signing, CollapsesBlanksInHeaders) {
  V4Request request = Request();
  request.headers = {{"A", "  x \t\t y  "}, {"x-goog-content-sha256", "abc"}};
  const auto canonical = Canonicalize(request);
  ASSERT_TRUE(canonical.ok());
  EXPECT_THAT(
      canonical->request,
      HasSubstr(
          "\na:x y\nhost:storage.googleapis.com\nx-goog-content-sha256:abc\n\na;host;x-goog-content-sha256\nabc"));
}

TEST(V4Signing, SortsAndEncodesTheQuery) {
  V4Request request = Request();
  request.query = {{"prefix", "/foo"}, {"X-Goog-Meta-Foo", "bar"}, {"souffl\xC3\xA9", "=%-_.~"}, {"generation", "7"}};
  const auto canonical = Canonicalize(request);
  ASSERT_TRUE(canonical.ok());
  EXPECT_THAT(canonical->query, HasSubstr("X-Goog-Expires=10&X-Goog-Meta-Foo=bar&X-Goog-SignedHeaders=host&generation="
                                          "7&prefix=%2Ffoo&souffl%C3%A9=%3D%25-_.~"));
}

TEST(V4Signing, RefusesInvalidHeaders) {
  const std::map<std::string, std::string> headers[] = {
      {{"Host", "evil"}}, {{"", "x"}}, {{"a b", "x"}}, {{"a", "x\r\ny"}}, {{"A", "1"}, {"a", "2"}}, {{"a:", "x"}}};
  for (const auto& wrong : headers) {
    V4Request request = Request();
    request.headers = wrong;
    EXPECT_TRUE(testing::FailsWith(Canonicalize(request), ErrorCode::kInvalidArgument)) << wrong.begin()->first;
  }
  for (const char* name : {"", "X-Goog-Signature", "x-goog-expires", "X-Goog-Credential"}) {
    V4Request request = Request();
    request.query = {{name, "1"}};
    EXPECT_FALSE(Canonicalize(request).ok()) << name;
  }
}

TEST(V4Signing, EncodesAPathExceptForSlashes) {
  EXPECT_EQ(EncodePath("a/b c/\xC3\xA9?#%"), "a/b%20c/%C3%A9%3F%23%25");
  EXPECT_EQ(EncodePath("//a//"), "//a//");
  EXPECT_EQ(EncodePath("a"), "a");
}

}  // namespace
}  // namespace gcsflux::internal
