#include "wire/object_resource.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/result.h"

namespace gcsflux::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(ObjectResource, ContainsSetFieldsUnderTheServicesNames) {
  const ObjectAttributes attributes{.content_type = "text/plain",
                                    .content_encoding = "gzip",
                                    .content_disposition = "attachment",
                                    .content_language = "de",
                                    .cache_control = "no-store",
                                    .storage_class = "NEARLINE",
                                    .custom_time = system_clock::time_point(milliseconds(1'500)),
                                    .event_based_hold = true,
                                    .temporary_hold = true,
                                    .metadata = {{"k", "v"}}};
  EXPECT_EQ(ToJson(attributes).dump(),
            R"({"cacheControl":"no-store","contentDisposition":"attachment","contentEncoding":"gzip",)"
            R"("contentLanguage":"de","contentType":"text/plain","customTime":"1970-01-01T00:00:01.500Z",)"
            R"("eventBasedHold":true,"metadata":{"k":"v"},"storageClass":"NEARLINE","temporaryHold":true})");
  EXPECT_EQ(ToJson(ObjectAttributes{}).dump(), R"({"contentType":"application/octet-stream"})");
}

TEST(ObjectResource, DistinguishesRemovedFromUnchanged) {
  EXPECT_EQ(ToJson(ObjectChanges{}).dump(), "{}");
  const ObjectChanges changes{.content_type = "",
                              .cache_control = "no-store",
                              .event_based_hold = false,
                              .metadata = {{"gone", std::nullopt}, {"kept", ""}}};
  EXPECT_EQ(ToJson(changes).dump(), R"({"cacheControl":"no-store","contentType":null,"eventBasedHold":false,)"
                                    R"("metadata":{"gone":null,"kept":""}})");
}

TEST(ObjectResource, RefusesValuesThatJsonOrAHeaderCannotHold) {
  const std::string broken = "\xFF";
  EXPECT_TRUE(CheckAttributes({.content_type = "text/plain; charset=\"utf-8\"", .metadata = {{"\xC3\xA9", ""}}}).ok());
  EXPECT_FALSE(CheckAttributes({.content_type = "text/plain\r\nx-header: 1"}).ok());
  EXPECT_FALSE(CheckAttributes({.cache_control = broken}).ok());
  EXPECT_FALSE(CheckAttributes({.metadata = {{"k", broken}}}).ok());
  EXPECT_FALSE(CheckAttributes({.metadata = {{broken, "v"}}}).ok());
  EXPECT_FALSE(CheckChanges({.content_language = broken}).ok());
  EXPECT_FALSE(CheckChanges({.metadata = {{broken, std::nullopt}}}).ok());
  EXPECT_EQ(testing::ErrorOf(CheckChanges({.metadata = {{"k", broken}}})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux::internal
