// Which requests belong to the XML API, and their operations.

#include "xml_api/xml_router.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/which_api.h"

namespace gcsflux::emulator {
namespace {

HttpRequest Request(const std::string& method, const std::string& target, const std::string& host) {
  HttpRequest request{.method = method, .target = target};
  request.headers.Add("Host", host);
  return request;
}

XmlResult<XmlRoute> Route(const std::string& method, const std::string& target,
                          const std::string& host = "127.0.0.1:9000") {
  return FindXmlRoute(Request(method, target, host), *ParseTarget(target));
}

TEST(IsXmlRequest, LeavesOtherPathsToOtherApis) {
  for (const char* target :
       {"/storage/v1/b", "/storage/v1/b?project=p", "/storage/v1", "/upload/storage/v1/b/b/o?uploadType=media",
        "/download/storage/v1/b/b/o/o?alt=media", "/batch/storage/v1", "/_emulator/health", "/_emulator", "/retry_test",
        "/retry_test/1", "/token", "/computeMetadata/v1/instance", "/v1/token", "http://127.0.0.1:9000/storage/v1/b"}) {
    EXPECT_FALSE(IsXmlRequest(Request("GET", target, "127.0.0.1:9000"))) << target;
    EXPECT_FALSE(IsXmlRequest(Request("GET", target, "gcs.localhost"))) << target;
    EXPECT_TRUE(IsXmlRequest(Request("GET", target, "bucket.storage.googleapis.com"))) << target;
  }
  for (const char* target : {"/", "", "/bucket", "/storage/v2", "/storage", "/tokens/a", "/upload/storage", "/v1beta/x",
                             "/bucket/storage/v1/b", "http://127.0.0.1:9000/bucket"}) {
    EXPECT_TRUE(IsXmlRequest(Request("GET", target, "127.0.0.1:9000"))) << target;
  }
}

TEST(FindXmlRoute, SplitsBucketAndObject) {
  struct Case {
    std::string host;
    std::string target;
    std::string bucket;
    std::string object = {};
    bool is_virtual_host_style = false;
  };
  const std::vector<Case> cases = {
      {"127.0.0.1:9000", "/bucket", "bucket"},
      {"127.0.0.1:9000", "/bucket/", "bucket"},
      {"127.0.0.1:9000", "/bucket/a", "bucket", "a"},
      {"127.0.0.1:9000", "/bucket/a/b", "bucket", "a/b"},
      {"127.0.0.1:9000", "/bucket/a/", "bucket", "a/"},
      {"127.0.0.1:9000", "/bucket//a", "bucket", "/a"},
      {"127.0.0.1:9000", "/bucket/a%2Fb%20c+d?generation=7", "bucket", "a/b c+d"},
      {"localhost:9000", "/bucket/a", "bucket", "a"},
      {"storage.googleapis.com", "/bucket/a", "bucket", "a"},
      {"[::1]:9000", "/bucket/a", "bucket", "a"},
      {"my-bucket.storage.googleapis.com", "/a/b", "my-bucket", "a/b", true},
      {"my-bucket.storage.googleapis.com", "/", "my-bucket", "", true},
      {"my.dotted.bucket.storage.googleapis.com:443", "/storage/v1/b", "my.dotted.bucket", "storage/v1/b", true},
      {"My-Bucket.LocalHost:9000", "/a", "my-bucket", "a", true},
      {"bucket.localhost", "//a", "bucket", "/a", true},
  };
  for (const Case& c : cases) {
    const auto route = Route("GET", c.target, c.host);
    ASSERT_TRUE(route) << c.host << c.target;
    EXPECT_EQ(route->bucket, c.bucket) << c.host << c.target;
    EXPECT_EQ(route->object, c.object) << c.host << c.target;
    EXPECT_EQ(route->is_virtual_host_style, c.is_virtual_host_style) << c.host << c.target;
  }
}

TEST(FindXmlRoute, DistinguishesOperations) {
  struct Case {
    std::string method;
    std::string target;
    std::string want;  ///< The row's request.
  };
  const std::vector<Case> cases = {
      {"GET", "/", "GET /"},
      {"PUT", "/b", "PUT /{bucket}"},
      {"HEAD", "/b", "HEAD /{bucket}"},
      {"DELETE", "/b", "DELETE /{bucket}"},
      {"GET", "/b", "GET /{bucket}"},
      {"GET", "/b/?list-type=2", "GET /{bucket}"},
      {"GET", "/b?location", "GET /{bucket}?location"},
      {"GET", "/b?uploads", "GET /{bucket}?uploads"},
      {"GET", "/b/o", "GET /{bucket}/{object}"},
      {"HEAD", "/b/o", "HEAD /{bucket}/{object}"},
      {"PUT", "/b/o", "PUT /{bucket}/{object}"},
      {"DELETE", "/b/o", "DELETE /{bucket}/{object}"},
      {"POST", "/b/o?uploads", "POST /{bucket}/{object}?uploads"},
      {"POST", "/b/o?uploads=", "POST /{bucket}/{object}?uploads"},
      {"PUT", "/b/o?partNumber=1&uploadId=x", "PUT /{bucket}/{object}?uploadId"},
      {"GET", "/b/o?uploadId=x", "GET /{bucket}/{object}?uploadId"},
      {"POST", "/b/o?uploadId=x", "POST /{bucket}/{object}?uploadId"},
      {"DELETE", "/b/o?uploadId=x", "DELETE /{bucket}/{object}?uploadId"},
  };
  for (const Case& c : cases) {
    const auto route = Route(c.method, c.target);
    ASSERT_TRUE(route) << c.method << " " << c.target;
    EXPECT_EQ(route->operation->request, c.want) << c.method << " " << c.target;
  }
}

TEST(FindXmlRoute, RefusesUnknownRoutes) {
  struct Case {
    std::string method;
    std::string target;
    XmlErrorCode want;
  };
  const std::vector<Case> cases = {
      {"POST", "/", XmlErrorCode::kMethodNotAllowed},
      {"PUT", "/", XmlErrorCode::kMethodNotAllowed},
      {"PATCH", "/b/o", XmlErrorCode::kMethodNotAllowed},
      {"DELETE", "/b/o?uploads", XmlErrorCode::kMethodNotAllowed},
      {"PUT", "/b/o?partNumber=1", XmlErrorCode::kInvalidArgument},
      {"GET", "/b?policy", XmlErrorCode::kNotImplemented},
      {"PUT", "/b/o?tagging", XmlErrorCode::kNotImplemented},
      {"DELETE", "/b/o?acl", XmlErrorCode::kMethodNotAllowed},
      {"DELETE", "/b?lifecycle", XmlErrorCode::kMethodNotAllowed},
  };
  for (const Case& c : cases) {
    const auto route = Route(c.method, c.target);
    ASSERT_FALSE(route) << c.method << " " << c.target;
    EXPECT_EQ(route.error().code, c.want) << c.method << " " << c.target;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
