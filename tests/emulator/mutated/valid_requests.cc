#include "emulator/mutated/valid_requests.h"

#include <string_view>

namespace gcsflux::emulator {
namespace {

std::string Request(std::string_view line, std::string_view headers = "", std::string_view body = "") {
  std::string request = std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(headers);
  if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return request + "\r\n" + std::string(body);
}

void AddBuckets(std::vector<std::string>& all) {
  all.push_back(Request("POST /storage/v1/b?project=p", "Content-Type: application/json\r\n",
                        R"({"name":"another","labels":{"a":"b"},"versioning":{"enabled":true},"lifecycle":{"rule":)"
                        R"([{"action":{"type":"Delete"},"condition":{"age":30}}]},"storageClass":"NEARLINE"})"));
  all.push_back(Request("PATCH /storage/v1/b/bucket?ifMetagenerationMatch=1", "",
                        R"({"labels":{"k":"v","n":null},"cors":[{"origin":["*"],"maxAgeSeconds":3600}]})"));
  all.push_back(Request("PUT /storage/v1/b/bucket", "", R"({"defaultEventBasedHold":false,"website":{}})"));
  all.push_back(Request("GET /storage/v1/b?project=p&prefix=b&maxResults=3&fields=items(name,location),nextPageToken"));
  all.push_back(Request("GET /storage/v1/b/bucket/iam/testPermissions?permissions=storage.objects.get"));
  all.push_back(Request("DELETE /storage/v1/b/another"));
}

void AddAccess(std::vector<std::string>& all) {
  const std::string bucket = "/storage/v1/b/bucket";
  all.push_back(
      Request("POST " + bucket + "/o/old/acl?generation=7", "", R"({"entity":"user-a@b.c","role":"READER"})"));
  all.push_back(Request("PATCH " + bucket + "/defaultObjectAcl/allUsers", "", R"({"role":"OWNER"})"));
  all.push_back(Request("PATCH " + bucket + "?predefinedAcl=publicRead&projection=full", "",
                        R"({"acl":[{"entity":"domain-b.c","role":"WRITER"}],"iamConfiguration":{"bucketPolicyOnly":)"
                        R"({"enabled":false},"publicAccessPrevention":"inherited"}})"));
  all.push_back(Request("PUT " + bucket + "/iam", "",
                        R"({"version":3,"etag":"","bindings":[{"role":"roles/storage.legacyBucketReader","members":)"
                        R"(["allUsers"]},{"role":"roles/storage.admin","members":["user:a@b.c"],"condition":)"
                        R"({"title":"t","expression":"e"}}]})"));
  all.push_back(Request("GET " + bucket + "/iam?optionsRequestedPolicyVersion=3"));
  all.push_back(Request("POST " + bucket + "/notificationConfigs", "",
                        R"({"topic":"projects/p/topics/t","payload_format":"NONE","event_types":["OBJECT_DELETE"]})"));
  all.push_back(Request("POST /storage/v1/projects/p/hmacKeys?serviceAccountEmail=a@b.c"));
  all.push_back(Request("GET /storage/v1/projects/p/hmacKeys?maxResults=1&showDeletedKeys=true"));
  all.push_back(Request("PATCH " + bucket + "/o/old?overrideUnlockedRetention=true", "",
                        R"({"retention":{"mode":"Unlocked","retainUntilTime":"2100-01-01T00:00:00Z"}})"));
}

void AddUploads(std::vector<std::string>& all, const std::string& session) {
  const std::string uploads = "/upload/storage/v1/b/bucket/o?uploadType=";
  all.push_back(Request("POST " + uploads + "media&name=new&ifGenerationMatch=0", "Content-Type: text/plain\r\n",
                        "the bytes of an object"));
  all.push_back(Request("POST " + uploads + "media&name=chunked", "Transfer-Encoding: chunked\r\n") +
                "5;x=y\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nTrailer: x\r\n\r\n");
  all.push_back(Request("POST " + uploads + "multipart", "Content-Type: multipart/related; boundary=\"zz\"\r\n",
                        "--zz\r\nContent-Type: application/json\r\n\r\n{\"name\":\"parts\",\"metadata\":{\"a\":\"b\"},"
                        "\"md5Hash\":null}\r\n--zz\r\nContent-Type: image/png\r\n\r\nbytes\r\n--zz--\r\n"));
  all.push_back(Request("POST " + uploads + "resumable&name=resumed", "X-Upload-Content-Length: 5\r\n",
                        R"({"contentType":"text/plain","customTime":"2025-06-02T05:04:05.25+02:00"})"));
  const std::string path = session.substr(session.find("/upload"));
  all.push_back(Request("PUT " + path, "Content-Range: bytes 0-4/5\r\n", "hello"));
  all.push_back(Request("PUT " + path, "Content-Range: bytes */10\r\n"));
  all.push_back(Request("DELETE " + path));
  all.push_back(Request("POST /upload/storage/v1/b/bucket/o?name=x",
                        "Expect: 100-continue\r\nX-Goog-Upload-Protocol: resumable\r\nX-Goog-Upload-Command: start\r\n",
                        "{}"));
}

void AddObjects(std::vector<std::string>& all) {
  const std::string objects = "/storage/v1/b/bucket/o";
  all.push_back(Request("GET " + objects + "/old?alt=media", "Range: bytes=1-3\r\nAccept-Encoding: gzip\r\n"));
  all.push_back(Request("GET " + objects + "/old?projection=full&fields=name,generation,metadata/a"));
  all.push_back(Request("HEAD " + objects + "/old?alt=media&generation=7"));
  all.push_back(
      Request("GET " + objects + "?prefix=a%2F&delimiter=/&maxResults=2&versions=true&startOffset=a&endOffset=z"));
  all.push_back(Request("GET " + objects + "?matchGlob=**%2F{a,[b-d]*,?}x&includeTrailingDelimiter=true"));
  all.push_back(Request("PATCH " + objects + "/old?ifMetagenerationNotMatch=9", "",
                        R"({"metadata":{"k":"v","n":null},"contentType":"a/b","temporaryHold":false})"));
  all.push_back(Request("PUT " + objects + "/old", "", R"({"cacheControl":"no-store","contentLanguage":"de"})"));
  all.push_back(Request("POST " + objects + "/joined/compose?ifGenerationMatch=0", "",
                        R"({"sourceObjects":[{"name":"old","objectPreconditions":{}},{"name":)"
                        R"("old"}],"destination":{"contentType":"x"}})"));
  all.push_back(Request("POST " + objects + "/old/rewriteTo/b/bucket/o/copy?maxBytesRewrittenPerCall=1048576", "",
                        R"({"metadata":{"a":"b"}})"));
  all.push_back(Request("POST " + objects + "/old/copyTo/b/bucket/o/copy"));
  all.push_back(Request("POST " + objects + "/copy/moveTo/o/moved"));
  all.push_back(Request("DELETE " + objects + "/copy?ifGenerationMatch=1"));
}

void AddXml(std::vector<std::string>& all, const std::string& upload) {
  all.push_back(Request("PUT /bucket/xml", "x-goog-meta-a: b\r\nx-goog-if-generation-match: 0\r\n", "xml bytes"));
  all.push_back(Request("PUT /bucket/copied", "x-goog-copy-source: /bucket/old\r\n"));
  all.push_back(Request("GET /bucket/old", "Range: bytes=-2\r\nIf-None-Match: \"x\"\r\n"));
  all.push_back(Request("GET /bucket?list-type=2&prefix=o&delimiter=/&max-keys=2&encoding-type=url"));
  all.push_back(Request("GET /bucket?versions&key-marker=a&generation-marker=7"));
  all.push_back(Request("PUT /xml-bucket", "",
                        "<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint>"
                        "</CreateBucketConfiguration>"));
  all.push_back(Request("PUT /bucket?versioning", "",
                        "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"));
  all.push_back(Request("POST /bucket/parts?uploads", "Content-Type: text/plain\r\n"));
  all.push_back(Request("PUT /bucket/parts?partNumber=1&uploadId=" + upload, "", "a part"));
  all.push_back(Request("POST /bucket/parts?uploadId=" + upload, "",
                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"x\"</ETag></Part>"
                        "</CompleteMultipartUpload>"));
  all.push_back(Request("GET /bucket/parts?uploadId=" + upload + "&max-parts=1"));
  all.push_back(
      Request("POST /bucket?delete", "", "<Delete><Quiet>true</Quiet><Object><Key>xml</Key></Object></Delete>"));
  all.push_back(Request("DELETE /bucket/xml"));
}

void AddOthers(std::vector<std::string>& all) {
  all.push_back(
      Request("POST /batch/storage/v1", "Content-Type: multipart/mixed; boundary=zz\r\n",
              "--zz\r\nContent-Type: application/http\r\nContent-ID: <a+1>\r\n\r\nGET /storage/v1/b/bucket/o/old "
              "HTTP/1.1\r\n\r\n--zz\r\nContent-Type: application/http\r\nContent-ID: <a+2>\r\n\r\nPATCH "
              "/storage/v1/b/bucket/o/old HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: "
              "24\r\n\r\n{\"metadata\":{\"a\":\"b\"}}\r\n--zz--\r\n"));
  all.push_back(Request("OPTIONS /storage/v1/b/bucket/o/old",
                        "Origin: http://a.example\r\nAccess-Control-Request-Method: GET\r\n"));
}

void AddOwn(std::vector<std::string>& all) {
  all.push_back(Request("POST /retry_test", "", R"({"instructions":{"storage.objects.get":["return-503"]}})"));
  all.push_back(Request("GET /_emulator/journal?since=1&limit=3"));
  all.push_back(Request("GET /_emulator/assertions?bucket=bucket"));
  all.push_back(Request("PUT /_emulator/quotas", "", R"({"reads_per_second":1000,"retry_after_s":"1"})"));
  all.push_back(Request("PUT /_emulator/idempotency", "", R"({"window_s": 5})"));
  all.push_back(Request("PUT /_emulator/faults", "",
                        R"({"seed":7,"rules":[{"name":"a","match":{"bucket":"no such"},"action":{"type":"reset"}}]})"));
}

}  // namespace

std::vector<std::string> ValidRequests(const std::string& session, const std::string& upload) {
  std::vector<std::string> all;
  AddBuckets(all);
  AddAccess(all);
  AddUploads(all, session);
  AddObjects(all);
  AddXml(all, upload);
  AddOthers(all);
  AddOwn(all);
  return all;
}

}  // namespace gcsflux::emulator
