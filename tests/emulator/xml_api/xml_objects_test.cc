// Objects and buckets through the XML API, over real sockets.

#include <string>
#include <utility>
#include <vector>

#include "emulator/xml_api/xml_test.h"

namespace gcsflux::emulator {
namespace {

class XmlObjectsTest : public XmlTest {
 protected:
  // A request that names its host.
  RawResponse CallHost(const std::string& host, const std::string& method, const std::string& target,
                       const std::string& body = "") {
    client_.Send(method + " " + target + " HTTP/1.1\r\nHost: " + host +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client_.Receive().value_or(RawResponse());
  }
};

TEST_F(XmlObjectsTest, RoundTripsAnObject) {
  const RawResponse put =
      Call("PUT", "/bucket/dir/a%20b",
           "Content-Type: text/plain\r\nContent-Disposition: attachment\r\nContent-Language: de\r\nCache-Control: "
           "max-age=7\r\nx-goog-meta-Color: blue\r\nx-goog-storage-class: NEARLINE\r\n",
           "hello");
  EXPECT_EQ(put.status, 200);
  EXPECT_EQ(put.body, "");
  EXPECT_EQ(put.Header("etag"), "\"5d41402abc4b2a76b9719d911017c592\"");
  EXPECT_NE(put.Header("x-goog-generation"), "");
  EXPECT_EQ(put.Header("x-goog-metageneration"), "1");

  for (const char* method : {"GET", "HEAD"}) {
    const RawResponse got = Call(method, "/bucket/dir/a%20b");
    const bool is_head = std::string(method) == "HEAD";
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, is_head ? "" : "hello");
    const std::vector<std::pair<std::string, std::string>> want = {
        {"content-length", "5"},
        {"content-type", "text/plain"},
        {"content-disposition", "attachment"},
        {"content-language", "de"},
        {"cache-control", "max-age=7"},
        {"x-goog-meta-color", "blue"},
        {"x-goog-storage-class", "NEARLINE"},
        {"x-goog-stored-content-length", "5"},
        {"x-goog-stored-content-encoding", "identity"},
        {"x-goog-generation", put.Header("x-goog-generation")},
        {"x-goog-metageneration", "1"},
        {"etag", put.Header("etag")},
        {"accept-ranges", "bytes"},
    };
    for (const auto& [name, value] : want) EXPECT_EQ(got.Header(name), value) << method << " " << name;
    EXPECT_NE(got.Header("last-modified"), "");
    std::string hashes;
    const auto range = got.headers.equal_range("x-goog-hash");
    for (auto at = range.first; at != range.second; ++at) hashes += at->second + " ";
    EXPECT_NE(hashes.find("crc32c=mnG7TA=="), std::string::npos) << hashes;
    EXPECT_NE(hashes.find("md5=XUFAKrxLKna5cZ2REBfFkg=="), std::string::npos) << hashes;
  }
}

TEST_F(XmlObjectsTest, SharesItsObjectsWithTheJsonApi) {
  ASSERT_EQ(Call("PUT", "/bucket/a/b", "x-goog-meta-k: v\r\n", "hello").status, 200);
  const RawResponse json = Call("GET", "/storage/v1/b/bucket/o/a%2Fb");
  EXPECT_NE(json.body.find("\"metadata\":{\"k\":\"v\"}"), std::string::npos) << json.body;
  ASSERT_EQ(Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=c/d", "", "json").status, 200);
  EXPECT_EQ(Call("GET", "/bucket/c/d").body, "json");
}

TEST_F(XmlObjectsTest, ReadsTheBucketFromTheHost) {
  EXPECT_EQ(CallHost("bucket.localhost", "PUT", "/a/b", "hello").status, 200);
  EXPECT_EQ(Call("GET", "/bucket/a/b").body, "hello");
  EXPECT_EQ(CallHost("bucket.storage.googleapis.com", "GET", "/a/b").body, "hello");
  EXPECT_EQ(CallHost("bucket.localhost:9000", "GET", "/a%2Fb").body, "hello");
  EXPECT_EQ(XmlText(CallHost("bucket.storage.googleapis.com", "GET", "/").body, "/ListBucketResult/Contents/Key"),
            "a/b");
  EXPECT_EQ(OutcomeOf(CallHost("other.storage.googleapis.com", "GET", "/a")), "404 NoSuchBucket");
  // If the host names the bucket, no path belongs to the JSON API.
  EXPECT_EQ(OutcomeOf(CallHost("bucket.storage.googleapis.com", "GET", "/storage/v1/b")), "404 NoSuchKey");
}

TEST_F(XmlObjectsTest, ReportsErrorsAsXml) {
  const RawResponse response = Call("GET", "/bucket/none");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body,
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code><Message>The specified key does not "
            "exist.</Message><Details>No such object: bucket/none</Details></Error>");
  EXPECT_EQ(Outcome("GET", "/none/o"), "404 NoSuchBucket");
  EXPECT_EQ(Outcome("PUT", "/none/o", "", "x"), "404 NoSuchBucket");
  EXPECT_EQ(Outcome("DELETE", "/bucket/none"), "404 NoSuchKey");
  EXPECT_EQ(Outcome("GET", "/bucket/%zz"), "400 InvalidURI");
  EXPECT_EQ(Outcome("PUT", "/bucket/%ff", "", "x"), "400 InvalidURI");
  EXPECT_EQ(Outcome("PUT", "/bucket/..", "", "x"), "400 InvalidURI");
  EXPECT_EQ(Outcome("PUT", "/bucket/" + std::string(1025, 'x'), "", "x"), "400 KeyTooLong");
  EXPECT_EQ(Outcome("PUT", "/bucket/o", "x-goog-storage-class: MARBLE\r\n", "x"), "400 InvalidStorageClass");
  EXPECT_EQ(Outcome("PUT", "/bucket/o", "x-goog-meta-k: \xff\r\n", "x"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", "/bucket/o", "", "x"), "405 MethodNotAllowed");
  EXPECT_EQ(Outcome("GET", "/bucket?policy"), "501 NotImplemented");
  EXPECT_EQ(Call("HEAD", "/bucket/none").status, 404);
}

TEST_F(XmlObjectsTest, ReadsRanges) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "", "0123456789").status, 200);
  const RawResponse part = Call("GET", "/bucket/o", "Range: bytes=2-4\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.Header("content-range"), "bytes 2-4/10");
  EXPECT_EQ(Call("GET", "/bucket/o", "Range: bytes=-3\r\n").body, "789");
  EXPECT_EQ(Call("GET", "/bucket/o", "Range: bytes=7-\r\n").body, "789");
  const RawResponse beyond = Call("GET", "/bucket/o", "Range: bytes=10-\r\n");
  EXPECT_EQ(OutcomeOf(beyond), "416 InvalidRange");
  EXPECT_EQ(XmlText(beyond.body, "/Error/Details"), "bytes=10-");
}

TEST_F(XmlObjectsTest, StoresNothingWithAWrongHash) {
  const struct {
    const char* header;
    const char* want;
  } kCases[] = {
      {"Content-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\n", "200"},
      {"x-goog-hash: md5=XUFAKrxLKna5cZ2REBfFkg==\r\n", "200"},
      {"x-goog-hash: crc32c=mnG7TA==\r\n", "200"},
      {"x-goog-hash: crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg==\r\n", "200"},
      {"Content-MD5: AUFAKrxLKna5cZ2REBfFkg==\r\n", "400 BadDigest"},
      {"x-goog-hash: md5=AUFAKrxLKna5cZ2REBfFkg==\r\n", "400 BadDigest"},
      {"x-goog-hash: crc32c=AnG7TA==\r\n", "400 BadDigest"},
      {"Content-MD5: nonsense\r\n", "400 InvalidDigest"},
      {"x-goog-hash: crc32c=nonsense\r\n", "400 InvalidDigest"},
      {"x-goog-hash: sha1=mnG7TA==\r\n", "400 InvalidDigest"},
      {"Content-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\nx-goog-hash: md5=AUFAKrxLKna5cZ2REBfFkg==\r\n", "400 InvalidDigest"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Outcome("PUT", "/bucket/o", c.header, "hello"), c.want) << c.header;
    EXPECT_EQ(Outcome("DELETE", "/bucket/o"), std::string(c.want) == "200" ? "204" : "404 NoSuchKey") << c.header;
  }
}

TEST_F(XmlObjectsTest, StoresNothingOfATruncatedBody) {
  RawConnection connection(endpoint());
  connection.Send("PUT /bucket/o HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhello");
  connection.FinishSending();
  const std::optional<RawResponse> response = connection.Receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(OutcomeOf(*response), "400 IncompleteBody");
  EXPECT_EQ(Outcome("GET", "/bucket/o"), "404 NoSuchKey");
}

TEST_F(XmlObjectsTest, ChecksPreconditions) {
  EXPECT_EQ(Outcome("PUT", "/bucket/o", "x-goog-if-generation-match: 7\r\n", "a"), "412 PreconditionFailed");
  const RawResponse first = Call("PUT", "/bucket/o", "x-goog-if-generation-match: 0\r\n", "a");
  ASSERT_EQ(first.status, 200);
  const std::string generation = first.Header("x-goog-generation");
  const RawResponse again = Call("PUT", "/bucket/o", "x-goog-if-generation-match: 0\r\n", "b");
  EXPECT_EQ(OutcomeOf(again), "412 PreconditionFailed");
  EXPECT_EQ(XmlText(again.body, "/Error/Details"), "x-goog-if-generation-match");
  EXPECT_EQ(Outcome("GET", "/bucket/o", "x-goog-if-generation-match: " + generation + "\r\n"), "200");
  EXPECT_EQ(Outcome("GET", "/bucket/o", "x-goog-if-generation-match: 1\r\n"), "412 PreconditionFailed");
  EXPECT_EQ(Outcome("GET", "/bucket/o", "x-goog-if-metageneration-match: 2\r\n"), "412 PreconditionFailed");
  EXPECT_EQ(Outcome("GET", "/bucket/o", "x-goog-if-generation-match: x\r\n"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("GET", "/bucket/o?generation=" + generation), "200");
  EXPECT_EQ(Outcome("GET", "/bucket/o?generation=1"), "404 NoSuchKey");
  EXPECT_EQ(Outcome("GET", "/bucket/o?generation=x"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("DELETE", "/bucket/o", "x-goog-if-generation-match: 1\r\n"), "412 PreconditionFailed");
  EXPECT_EQ(Call("GET", "/bucket/o").body, "a");
  EXPECT_EQ(Outcome("DELETE", "/bucket/o", "x-goog-if-generation-match: " + generation + "\r\n"), "204");
  EXPECT_EQ(Outcome("GET", "/bucket/o"), "404 NoSuchKey");
}

TEST_F(XmlObjectsTest, ChecksHttpConditionsOnReads) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "", "hello").status, 200);
  const RawResponse got = Call("GET", "/bucket/o");
  const std::string etag = got.Header("etag");
  const std::string modified = got.Header("last-modified");
  const std::string before = "Thu, 01 Jan 1970 00:00:00 GMT";
  const struct {
    std::string header;
    const char* want;
  } kCases[] = {
      {"If-Match: " + etag, "200"},
      {"If-Match: \"other\", " + etag, "200"},
      {"If-Match: *", "200"},
      {"If-Match: \"other\"", "412 PreconditionFailed"},
      {"If-None-Match: " + etag, "304"},
      {"If-None-Match: *", "304"},
      {"If-None-Match: \"other\"", "200"},
      {"If-Modified-Since: " + modified, "304"},
      {"If-Modified-Since: " + before, "200"},
      {"If-Modified-Since: yesterday", "200"},
      {"If-Unmodified-Since: " + modified, "200"},
      {"If-Unmodified-Since: " + before, "412 PreconditionFailed"},
      {"If-None-Match: \"other\"\r\nIf-Modified-Since: " + modified, "200"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Outcome("GET", "/bucket/o", c.header + "\r\n"), c.want) << c.header;
}

TEST_F(XmlObjectsTest, CopiesWithinAndAcrossBuckets) {
  ASSERT_EQ(Call("PUT", "/other-bucket").status, 200);
  const RawResponse put =
      Call("PUT", "/bucket/from%20here", "Content-Type: text/plain\r\nx-goog-meta-k: v\r\n", "hello");
  const RawResponse copy =
      Call("PUT", "/other-bucket/copy", "x-goog-copy-source: /bucket/from%20here\r\nx-goog-meta-k: ignored\r\n");
  ASSERT_EQ(copy.status, 200) << copy.body;
  EXPECT_EQ(XmlText(copy.body, "/CopyObjectResult/ETag"), put.Header("etag"));
  const RawResponse got = Call("GET", "/other-bucket/copy");
  EXPECT_EQ(got.body, "hello");
  EXPECT_EQ(got.Header("content-type"), "text/plain");
  EXPECT_EQ(got.Header("x-goog-meta-k"), "v");
  EXPECT_EQ(got.Header("x-goog-generation"), copy.Header("x-goog-generation"));

  ASSERT_EQ(Call("PUT", "/bucket/copy",
                 "x-goog-copy-source: bucket/from%20here\r\nx-goog-metadata-directive: REPLACE\r\nx-goog-meta-l: w\r\n")
                .status,
            200);
  const RawResponse replaced = Call("GET", "/bucket/copy");
  EXPECT_EQ(replaced.body, "hello");
  EXPECT_EQ(replaced.Header("x-goog-meta-k"), "");
  EXPECT_EQ(replaced.Header("x-goog-meta-l"), "w");
}

TEST_F(XmlObjectsTest, AcceptsTheHeadersOfS3) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "X-Amz-Meta-Color: blue\r\nx-amz-storage-class: COLDLINE\r\n", "hello").status,
            200);
  const RawResponse copy =
      Call("PUT", "/bucket/copy", "x-amz-copy-source: bucket/o\r\nx-amz-storage-class: COLDLINE\r\n");
  EXPECT_EQ(XmlText(copy.body, "/CopyObjectResult/ETag"), "\"5d41402abc4b2a76b9719d911017c592\"");
  const RawResponse got = Call("GET", "/bucket/copy");
  EXPECT_EQ(got.body, "hello");
  EXPECT_EQ(got.Header("x-goog-meta-color"), "blue");
  EXPECT_EQ(got.Header("x-amz-meta-color"), "");
  EXPECT_EQ(got.Header("x-goog-storage-class"), "COLDLINE");
  EXPECT_EQ(Call("GET", "/bucket/copy", "x-amz-date: 20261120T000000Z\r\n").Header("x-amz-meta-color"), "blue");
}

// Otherwise their signatures would be stored among the bytes.
TEST_F(XmlObjectsTest, RefusesTheChunksOfS3) {
  for (const char* header :
       {"x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n", "Content-Encoding: gzip,aws-chunked\r\n"}) {
    EXPECT_EQ(Outcome("PUT", "/bucket/o", header, "5;chunk-signature=0\r\nhello\r\n0\r\n\r\n"), "501 NotImplemented");
  }
  EXPECT_EQ(Outcome("GET", "/bucket/o"), "404 NoSuchKey");
}

TEST_F(XmlObjectsTest, ChecksThePreconditionsOfACopy) {
  const std::string generation = Call("PUT", "/bucket/source", "", "hello").Header("x-goog-generation");
  const std::string source = "x-goog-copy-source: /bucket/source\r\n";
  const auto copy = [&](const std::string& header) { return Outcome("PUT", "/bucket/copy", source + header + "\r\n"); };
  EXPECT_EQ(copy("x-goog-copy-source-if-generation-match: 1"), "412 PreconditionFailed");
  EXPECT_EQ(copy("x-goog-copy-source-if-metageneration-match: 2"), "412 PreconditionFailed");
  EXPECT_EQ(copy("x-goog-copy-source-if-match: \"other\""), "412 PreconditionFailed");
  EXPECT_EQ(copy("x-goog-copy-source-if-none-match: *"), "412 PreconditionFailed");
  EXPECT_EQ(copy("x-goog-copy-source-generation: 1"), "404 NoSuchKey");
  EXPECT_EQ(copy("x-goog-if-generation-match: 1"), "412 PreconditionFailed");
  EXPECT_EQ(copy("x-goog-metadata-directive: NONSENSE"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", "/bucket/copy", "x-goog-copy-source: nonsense\r\n"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", "/bucket/copy", "x-goog-copy-source: /bucket/none\r\n"), "404 NoSuchKey");
  EXPECT_EQ(Outcome("PUT", "/bucket/copy", "x-goog-copy-source: /none/source\r\n"), "404 NoSuchBucket");
  EXPECT_EQ(Outcome("GET", "/bucket/copy"), "404 NoSuchKey");
  EXPECT_EQ(copy("x-goog-copy-source-generation: " + generation + "\r\nx-goog-if-generation-match: 0"), "200");
}

TEST_F(XmlObjectsTest, OverridesHeadersByTheQuery) {
  ASSERT_EQ(Call("PUT", "/bucket/o", "Content-Type: text/plain\r\n", "hello").status, 200);
  const RawResponse got =
      Call("GET", "/bucket/o?response-content-type=image/png&response-content-disposition=attachment");
  EXPECT_EQ(got.Header("content-type"), "image/png");
  EXPECT_EQ(got.Header("content-disposition"), "attachment");
}

TEST_F(XmlObjectsTest, KeepsEncodedBytes) {
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\x07\0\x86\xa6\x10\x36\x05\0\0\0", 25);
  ASSERT_EQ(Call("PUT", "/bucket/o", "Content-Encoding: gzip\r\n", gzip).status, 200);
  const RawResponse stored = Call("GET", "/bucket/o", "Accept-Encoding: gzip\r\n");
  EXPECT_TRUE(stored.body == gzip);
  EXPECT_EQ(stored.Header("content-encoding"), "gzip");
  EXPECT_EQ(stored.Header("x-goog-stored-content-encoding"), "gzip");
  const RawResponse unpacked = Call("GET", "/bucket/o");
  EXPECT_EQ(unpacked.body, "hello");
  EXPECT_EQ(unpacked.Header("x-goog-stored-content-length"), "25");
}

TEST_F(XmlObjectsTest, ShowsAComposedObjectWithoutMd5) {
  ASSERT_EQ(Call("PUT", "/bucket/a", "", "he").status, 200);
  ASSERT_EQ(Call("PUT", "/bucket/b", "", "llo").status, 200);
  ASSERT_EQ(Call("POST", "/storage/v1/b/bucket/o/c/compose", "",
                 R"({"sourceObjects":[{"name":"a"},{"name":"b"}],"destination":{}})")
                .status,
            200);
  const RawResponse got = Call("GET", "/bucket/c");
  EXPECT_EQ(got.body, "hello");
  EXPECT_EQ(got.Header("x-goog-component-count"), "2");
  EXPECT_EQ(got.headers.count("x-goog-hash"), 1U);
  EXPECT_EQ(got.Header("etag").substr(0, 2), "\"-");
}

TEST_F(XmlObjectsTest, UsesTheBucketsStorageClassByDefault) {
  ASSERT_EQ(Call("PUT", "/cold-bucket", "",
                 "<CreateBucketConfiguration><StorageClass>COLDLINE</StorageClass></CreateBucketConfiguration>")
                .status,
            200);
  ASSERT_EQ(Call("PUT", "/cold-bucket/o", "", "x").status, 200);
  EXPECT_EQ(Call("HEAD", "/cold-bucket/o").Header("x-goog-storage-class"), "COLDLINE");
  ASSERT_EQ(Call("PUT", "/bucket/copy", "x-goog-copy-source: /cold-bucket/o\r\n").status, 200);
  EXPECT_EQ(Call("HEAD", "/bucket/copy").Header("x-goog-storage-class"), "STANDARD");
}

TEST_F(XmlObjectsTest, SetsAndShowsVersioning) {
  const auto status = [&] {
    return XmlText(Call("GET", "/bucket?versioning").body, "/VersioningConfiguration/Status");
  };
  EXPECT_EQ(status(), "");
  EXPECT_EQ(Outcome("PUT", "/bucket?versioning", "",
                    "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"),
            "200");
  EXPECT_EQ(status(), "Enabled");
  EXPECT_EQ(Outcome("PUT", "/bucket?versioning", "",
                    "<VersioningConfiguration><Status>Perhaps</Status></VersioningConfiguration>"),
            "400 MalformedXML");
  EXPECT_EQ(Outcome("PUT", "/bucket?versioning", "",
                    "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"),
            "200");
  EXPECT_EQ(status(), "");
}

TEST_F(XmlObjectsTest, CreatesListsAndDeletesBuckets) {
  EXPECT_EQ(Outcome("PUT", "/other-bucket", "",
                    "<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint>"
                    "</CreateBucketConfiguration>"),
            "200");
  EXPECT_EQ(XmlText(Call("GET", "/other-bucket?location").body, "/LocationConstraint"), "EU");
  const std::string all = Call("GET", "/").body;
  EXPECT_EQ(XmlTexts(all, "/ListAllMyBucketsResult/Buckets/Bucket/Name"),
            (std::vector<std::string>{"bucket", "other-bucket"}));
  EXPECT_EQ(Call("HEAD", "/bucket").status, 200);
  EXPECT_EQ(Call("HEAD", "/none").status, 404);
  EXPECT_EQ(Outcome("PUT", "/bucket"), "409 BucketAlreadyOwnedByYou");
  EXPECT_EQ(Outcome("PUT", "/Not_A_Bucket"), "400 InvalidBucketName");
  EXPECT_EQ(Outcome("PUT", "/third-bucket", "", "nonsense"), "400 MalformedXML");
  EXPECT_EQ(Outcome("DELETE", "/none"), "404 NoSuchBucket");
  ASSERT_EQ(Call("PUT", "/other-bucket/o", "", "x").status, 200);
  EXPECT_EQ(Outcome("DELETE", "/other-bucket"), "409 BucketNotEmpty");
  ASSERT_EQ(Call("DELETE", "/other-bucket/o").status, 204);
  EXPECT_EQ(Outcome("DELETE", "/other-bucket"), "204");
  EXPECT_EQ(Outcome("GET", "/other-bucket"), "404 NoSuchBucket");
}

// With version 2 a client sends no x-amz- header with a HEAD.
TEST_F(XmlObjectsTest, AnswersS3SignedRequestsWithS3Names) {
  ASSERT_EQ(Call("PUT", "/bucket/signed", "x-goog-meta-color: red\r\n", "x").status, 200);
  for (const std::string authorization :
       {"AWS KEY:c2lnbmF0dXJl", "AWS4-HMAC-SHA256 Credential=KEY/20260101/auto/s3/aws4_request, Signature=00"}) {
    const RawResponse read = Call("GET", "/bucket/signed", "Authorization: " + authorization + "\r\n");
    EXPECT_EQ(read.status, 200);
    EXPECT_EQ(read.Header("x-amz-meta-color"), "red") << authorization;
    EXPECT_EQ(read.Header("x-goog-meta-color"), "red") << authorization;
  }
  EXPECT_EQ(Call("GET", "/bucket/signed").Header("x-amz-meta-color"), "");
}

}  // namespace
}  // namespace gcsflux::emulator
