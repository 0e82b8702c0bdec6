// Which operation a request of the JSON API asks for.

#include "json_api/router.h"

#include <gtest/gtest.h>

#include <vector>

namespace gcsflux::emulator {
namespace {

TEST(FindRoute, DistinguishesOperations) {
  struct Case {
    const char* method;
    const char* raw;
    const char* operation;  ///< The row's request.
    const char* object;
  };
  const std::vector<Case> cases = {
      {"GET", "/storage/v1/b", "GET /storage/v1/b", ""},
      {"POST", "/storage/v1/b", "POST /storage/v1/b", ""},
      {"GET", "/storage/v1/b/k", "GET /storage/v1/b/{bucket}", ""},
      {"DELETE", "/storage/v1/b/k", "DELETE /storage/v1/b/{bucket}", ""},
      {"GET", "/storage/v1/b/k/o", "GET /storage/v1/b/{bucket}/o", ""},
      {"GET", "/storage/v1/b/k/o/a%2Fb", "GET /storage/v1/b/{bucket}/o/{object}", "a/b"},
      {"HEAD", "/storage/v1/b/k/o/a%2Fb", "GET /storage/v1/b/{bucket}/o/{object}", "a/b"},
      {"GET", "/download/storage/v1/b/k/o/n", "GET /download/storage/v1/b/{bucket}/o/{object}", "n"},
      {"DELETE", "/storage/v1/b/k/o/n%2Fcompose", "DELETE /storage/v1/b/{bucket}/o/{object}", "n/compose"},
      {"POST", "/storage/v1/b/k/o/n/compose", "POST /storage/v1/b/{bucket}/o/{object}/compose", "n"},
      {"PATCH", "/storage/v1/b/k/o/n", "PATCH /storage/v1/b/{bucket}/o/{object}", "n"},
      {"POST", "/upload/storage/v1/b/k/o?uploadType=media", "POST /upload/storage/v1/b/{bucket}/o", ""},
      {"PUT", "/upload/storage/v1/b/k/o?upload_id=1", "PUT /upload/storage/v1/b/{bucket}/o", ""},
      {"DELETE", "/upload/storage/v1/b/k/o?upload_id=1", "DELETE /upload/storage/v1/b/{bucket}/o", ""},
  };
  for (const Case& c : cases) {
    const auto route = FindRoute(JsonOperations(), c.method, ParseTarget(c.raw)->segments);
    ASSERT_TRUE(route) << c.method << " " << c.raw;
    EXPECT_EQ(route->operation->request, c.operation) << c.method << " " << c.raw;
    EXPECT_EQ(route->object, c.object) << c.method << " " << c.raw;
  }
}

TEST(FindRoute, RefusesUnknownRoutes) {
  struct Case {
    const char* method;
    const char* raw;
    int status;
  };
  const std::vector<Case> cases = {
      {"GET", "/", 404},
      {"GET", "/storage/v1/b/k/o/a/b", 404},
      {"GET", "/storage/v1/b/k/", 404},
      {"GET", "/storage/v2/b", 404},
      {"PUT", "/storage/v1/b", 405},
      {"POST", "/storage/v1/b/k/o/n", 405},
      {"GET", "/storage/v1/b/k/o/n/compose", 405},
  };
  for (const Case& c : cases) {
    const auto route = FindRoute(JsonOperations(), c.method, ParseTarget(c.raw)->segments);
    ASSERT_FALSE(route) << c.method << " " << c.raw;
    EXPECT_EQ(route.error().status, c.status) << c.method << " " << c.raw;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
