// XML multipart uploads over real sockets.

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "emulator/xml_api/xml_test.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMinPart = std::size_t{5} << 20;

std::string PartElement(int number, const std::string& etag) {
  return "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + etag + "</ETag></Part>";
}

std::string CompleteBody(const std::map<int, std::string>& etags) {
  std::string xml = "<CompleteMultipartUpload>";
  for (const auto& [number, etag] : etags) xml += PartElement(number, etag);
  return xml + "</CompleteMultipartUpload>";
}

class XmlMultipartTest : public XmlTest {
 protected:
  std::string Initiate(const std::string& object, const std::string& headers = "") {
    const RawResponse response = Call("POST", "/bucket/" + object + "?uploads", headers);
    EXPECT_EQ(response.status, 200) << response.body;
    return XmlText(response.body, "/InitiateMultipartUploadResult/UploadId");
  }

  static std::string PartTarget(const std::string& object, const std::string& id, int number) {
    return "/bucket/" + object + "?partNumber=" + std::to_string(number) + "&uploadId=" + id;
  }

  std::string PutPart(const std::string& object, const std::string& id, int number, const std::string& body) {
    const RawResponse response = Call("PUT", PartTarget(object, id, number), "", body);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.Header("etag");
  }

  static std::string UploadTarget(const std::string& object, const std::string& id) {
    return "/bucket/" + object + "?uploadId=" + id;
  }
};

TEST_F(XmlMultipartTest, JoinsPartsSentInAnyOrder) {
  const RawResponse initiated =
      Call("POST", "/bucket/dir/o?uploads", "Content-Type: text/plain\r\nx-goog-meta-k: v\r\n");
  EXPECT_NE(initiated.body.find("<InitiateMultipartUploadResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"),
            std::string::npos);
  EXPECT_EQ(XmlText(initiated.body, "//Bucket"), "bucket");
  EXPECT_EQ(XmlText(initiated.body, "//Key"), "dir/o");
  const std::string id = XmlText(initiated.body, "//UploadId");
  const std::string first(kMinPart, '1');
  std::map<int, std::string> etags;
  etags[9] = PutPart("dir/o", id, 9, "end");
  etags[2] = PutPart("dir/o", id, 2, first);
  EXPECT_EQ(etags[9], "\"7f021a1415b86f2d013b2618fb31ae53\"");
  EXPECT_EQ(Outcome("GET", "/bucket/dir/o"), "404 NoSuchKey");

  const RawResponse completed = Call("POST", UploadTarget("dir/o", id), "", CompleteBody(etags));
  ASSERT_EQ(completed.status, 200) << completed.body;
  EXPECT_NE(completed.body.find("<CompleteMultipartUploadResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"),
            std::string::npos);
  EXPECT_EQ(XmlText(completed.body, "//Location"), "http://emulator.test/bucket/dir/o");
  EXPECT_EQ(XmlText(completed.body, "//Key"), "dir/o");

  const RawResponse got = Call("GET", "/bucket/dir/o");
  EXPECT_TRUE(got.body == first + "end");
  EXPECT_EQ(got.Header("content-type"), "text/plain");
  EXPECT_EQ(got.Header("x-goog-meta-k"), "v");
  EXPECT_EQ(got.Header("x-goog-component-count"), "2");
  EXPECT_EQ(got.Header("x-goog-generation"), completed.Header("x-goog-generation"));
  EXPECT_EQ(got.Header("etag"), XmlText(completed.body, "//ETag"));
  EXPECT_EQ(got.headers.count("x-goog-hash"), 1U) << "an MD5 of the joined object";
  EXPECT_EQ(Outcome("POST", UploadTarget("dir/o", id), "", CompleteBody(etags)), "404 NoSuchUpload");
  EXPECT_TRUE(XmlTexts(Call("GET", "/bucket?uploads").body, "//Upload").empty());
}

TEST_F(XmlMultipartTest, ReplacesARepeatedPart) {
  const std::string id = Initiate("o");
  const std::string old_etag = PutPart("o", id, 1, "old");
  const std::string new_etag = PutPart("o", id, 1, "new");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody({{1, old_etag}})), "400 InvalidPart");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody({{1, new_etag}})), "200");
  EXPECT_EQ(Call("GET", "/bucket/o").body, "new");
}

TEST_F(XmlMultipartTest, OmitsPartsThatAreNotNamed) {
  const std::string id = Initiate("o");
  PutPart("o", id, 1, "one");
  const std::string etag = PutPart("o", id, 2, "two");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody({{2, etag}})), "200");
  EXPECT_EQ(Call("GET", "/bucket/o").body, "two");
}

TEST_F(XmlMultipartTest, RefusesAnInvalidCompletion) {
  const std::string id = Initiate("o");
  const std::string etag = PutPart("o", id, 1, "one");
  const std::string other = PutPart("o", id, 2, "two");
  const std::string target = UploadTarget("o", id);
  const auto body = [](const std::string& parts) {
    return "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
  };
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(1, etag) + PartElement(2, other))), "400 EntityTooSmall");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(2, other) + PartElement(1, etag))), "400 InvalidPartOrder");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(1, etag) + PartElement(1, etag))), "400 InvalidPartOrder");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(1, other))), "400 InvalidPart");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(1, "nonsense"))), "400 InvalidPart");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(3, etag))), "400 InvalidPart");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(0, etag))), "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", target, "", body("")), "400 MalformedXML");
  EXPECT_EQ(Outcome("POST", target, "", ""), "400 MalformedXML");
  EXPECT_EQ(Outcome("POST", target, "", "{}"), "400 MalformedXML");
  // On its own connection, which is closed: the answer is sent before the whole body has arrived.
  EXPECT_EQ(OutcomeOf(RawConnection(endpoint()).Call("POST", target, "", std::string(std::size_t{5} << 20, ' '))),
            "400 EntityTooLarge");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", "nonsense"), "", body(PartElement(1, etag))), "404 NoSuchUpload");
  EXPECT_EQ(Outcome("POST", UploadTarget("p", id), "", body(PartElement(1, etag))), "404 NoSuchUpload");
  EXPECT_EQ(Outcome("POST", target, "x-goog-if-generation-match: 0\r\n", body(PartElement(1, etag))),
            "400 InvalidArgument");
  EXPECT_EQ(Outcome("GET", "/bucket/o"), "404 NoSuchKey");
  EXPECT_EQ(Outcome("POST", target, "", body(PartElement(1, etag))), "200");
}

TEST_F(XmlMultipartTest, AcceptsAtMost10000Parts) {
  const std::string id = Initiate("o");
  const std::string etag = PutPart("o", id, 10'000, "last");
  for (const char* number : {"0", "-1", "10001", "x", "99999999999999999999", ""}) {
    EXPECT_EQ(Outcome("PUT", "/bucket/o?partNumber=" + std::string(number) + "&uploadId=" + id, "", "x"),
              "400 InvalidArgument")
        << number;
  }
  EXPECT_EQ(Outcome("PUT", UploadTarget("o", id), "", "x"), "400 InvalidArgument");
  std::map<int, std::string> etags;
  for (int i = 1; i <= 10'001; ++i) etags[i] = etag;
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody(etags)), "400 InvalidArgument");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody({{10'000, etag}})), "200");
}

TEST_F(XmlMultipartTest, RefusesAPartWithAWrongHash) {
  const std::string id = Initiate("o");
  const std::string target = PartTarget("o", id, 1);
  EXPECT_EQ(Outcome("PUT", target, "Content-MD5: AUFAKrxLKna5cZ2REBfFkg==\r\n", "hello"), "400 BadDigest");
  EXPECT_EQ(Outcome("PUT", target, "x-goog-hash: crc32c=AnG7TA==\r\n", "hello"), "400 BadDigest");
  EXPECT_TRUE(XmlTexts(Call("GET", UploadTarget("o", id)).body, "//Part").empty());
  EXPECT_EQ(Outcome("PUT", target, "Content-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\n", "hello"), "200");
  EXPECT_EQ(Outcome("PUT", PartTarget("o", "nonsense", 1), "", "hello"), "404 NoSuchUpload");
}

TEST_F(XmlMultipartTest, CopiesPartsFromObjects) {
  ASSERT_EQ(Call("PUT", "/bucket/source", "", "0123456789").status, 200);
  const std::string id = Initiate("o");
  const auto copy = [&](int number, const std::string& headers) {
    return Call("PUT", PartTarget("o", id, number), "x-amz-copy-source: /bucket/source\r\n" + headers);
  };
  const RawResponse part = copy(1, "x-amz-copy-source-range: bytes=2-4\r\n");
  ASSERT_EQ(part.status, 200) << part.body;
  const std::string etag = XmlText(part.body, "/CopyPartResult/ETag");
  EXPECT_EQ(Outcome("POST", UploadTarget("o", id), "", CompleteBody({{1, etag}})), "200");
  EXPECT_EQ(Call("GET", "/bucket/o").body, "234");

  const std::string other = Initiate("o");
  const std::string target = PartTarget("o", other, 1);
  const std::string source = "x-goog-copy-source: /bucket/source\r\n";
  EXPECT_EQ(Outcome("PUT", target, source), "200");
  EXPECT_EQ(Outcome("PUT", target, source + "x-goog-copy-source-range: bytes=10-\r\n"), "416 InvalidRange");
  EXPECT_EQ(Outcome("PUT", target, source + "x-goog-copy-source-range: lines=1-2\r\n"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("PUT", target, source + "x-goog-copy-source-if-none-match: *\r\n"), "412 PreconditionFailed");
  EXPECT_EQ(Outcome("PUT", target, "x-goog-copy-source: /bucket/none\r\n"), "404 NoSuchKey");
}

TEST_F(XmlMultipartTest, ListsPartsInPages) {
  const std::string id = Initiate("o", "x-goog-storage-class: NEARLINE\r\n");
  for (const int number : {3, 1, 10, 5}) PutPart("o", id, number, "part " + std::to_string(number));
  const std::string all = Call("GET", UploadTarget("o", id)).body;
  EXPECT_EQ(XmlTexts(all, "/ListPartsResult/Part/PartNumber"), (std::vector<std::string>{"1", "3", "5", "10"}));
  EXPECT_EQ(XmlTexts(all, "/ListPartsResult/Part/Size"), (std::vector<std::string>{"6", "6", "6", "7"}));
  EXPECT_EQ(XmlText(all, "/ListPartsResult/IsTruncated"), "false");
  EXPECT_EQ(XmlText(all, "/ListPartsResult/StorageClass"), "NEARLINE");
  const std::string page = Call("GET", UploadTarget("o", id) + "&max-parts=2&part-number-marker=1").body;
  EXPECT_EQ(XmlTexts(page, "//Part/PartNumber"), (std::vector<std::string>{"3", "5"}));
  EXPECT_EQ(XmlText(page, "//IsTruncated"), "true");
  EXPECT_EQ(XmlText(page, "//NextPartNumberMarker"), "5");
  EXPECT_EQ(Outcome("GET", UploadTarget("o", id) + "&max-parts=0"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("GET", UploadTarget("o", id) + "&part-number-marker=x"), "400 InvalidArgument");
  EXPECT_EQ(Outcome("GET", UploadTarget("o", "nonsense")), "404 NoSuchUpload");
}

TEST_F(XmlMultipartTest, ForgetsAnAbortedUpload) {
  const std::string id = Initiate("o");
  PutPart("o", id, 1, "one");
  EXPECT_EQ(Outcome("DELETE", UploadTarget("o", id)), "204");
  EXPECT_EQ(Outcome("DELETE", UploadTarget("o", id)), "404 NoSuchUpload");
  EXPECT_EQ(Outcome("PUT", PartTarget("o", id, 1), "", "x"), "404 NoSuchUpload");
  EXPECT_TRUE(XmlTexts(Call("GET", "/bucket?uploads").body, "//Upload").empty());
}

TEST_F(XmlMultipartTest, ListsUploadsNotObjects) {
  const std::string first = Initiate("a");
  const std::string second = Initiate("d/b");
  const std::string all = Call("GET", "/bucket?uploads").body;
  EXPECT_NE(all.find("<ListMultipartUploadsResult xmlns='http://s3.amazonaws.com/doc/2006-03-01/'>"),
            std::string::npos);
  EXPECT_EQ(XmlTexts(all, "//Upload/Key"), (std::vector<std::string>{"a", "d/b"}));
  EXPECT_EQ(XmlTexts(all, "//Upload/UploadId"), (std::vector<std::string>{first, second}));
  const std::string page = Call("GET", "/bucket?uploads&max-uploads=1").body;
  EXPECT_EQ(XmlText(page, "//IsTruncated"), "true");
  EXPECT_EQ(XmlText(page, "//NextKeyMarker"), "a");
  EXPECT_EQ(XmlText(page, "//NextUploadIdMarker"), first);
  const std::string folded = Call("GET", "/bucket?uploads&delimiter=/").body;
  EXPECT_EQ(XmlTexts(folded, "//CommonPrefixes/Prefix"), (std::vector<std::string>{"d/"}));
  EXPECT_TRUE(XmlTexts(Call("GET", "/bucket").body, "//Contents").empty());
}

TEST_F(XmlMultipartTest, ForgetsUploadsOfADeletedBucket) {
  const std::string id = Initiate("o");
  ASSERT_EQ(Call("DELETE", "/bucket").status, 204);
  EXPECT_EQ(Outcome("PUT", PartTarget("o", id, 1), "", "x"), "404 NoSuchBucket");
  ASSERT_EQ(Call("PUT", "/bucket").status, 200);
  EXPECT_EQ(Outcome("PUT", PartTarget("o", id, 1), "", "x"), "404 NoSuchUpload");
}

// Parts over many connections in a random order, some of them twice with different bytes, and several clients that
// complete.
TEST_F(XmlMultipartTest, SurvivesRacingPartsAndCompletions) {
  constexpr int kParts = 12;
  const std::string id = Initiate("o");
  std::vector<int> order;
  for (int i = 1; i <= kParts; ++i) order.insert(order.end(), {i, i});
  std::shuffle(order.begin(), order.end(), std::mt19937(20261120));
  const auto content = [](int number) {
    return std::string(number == kParts ? 7 : kMinPart, static_cast<char>('a' + number));
  };
  std::vector<std::string> etags(kParts + 1);
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> senders;
  senders.reserve(6);
  for (int i = 0; i < 6; ++i) {
    senders.emplace_back([&] {
      RawConnection connection(endpoint());
      for (std::size_t at = next++; at < order.size(); at = next++) {
        EXPECT_EQ(connection.Call("PUT", PartTarget("o", id, order[at]), "", content(order[at])).status, 200);
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
  std::map<int, std::string> parts;
  std::string want;
  const std::string listed = Call("GET", UploadTarget("o", id)).body;
  const std::vector<std::string> listed_etags = XmlTexts(listed, "//Part/ETag");
  ASSERT_EQ(listed_etags.size(), static_cast<std::size_t>(kParts));
  for (int i = 1; i <= kParts; ++i) {
    parts[i] = listed_etags[static_cast<std::size_t>(i - 1)];
    want += content(i);
  }
  std::atomic<int> completed = 0;
  std::vector<std::thread> completers;
  completers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    completers.emplace_back([&] {
      RawConnection connection(endpoint());
      RawResponse response;
      do {
        response = connection.Call("POST", UploadTarget("o", id), "", CompleteBody(parts));
      } while (response.status == 503);
      if (response.status == 200) ++completed;
    });
  }
  for (std::thread& completer : completers) completer.join();
  EXPECT_EQ(completed, 1);
  EXPECT_TRUE(Call("GET", "/bucket/o").body == want);
}

}  // namespace
}  // namespace gcsflux::emulator
