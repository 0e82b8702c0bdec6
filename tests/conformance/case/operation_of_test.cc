#include "case/operation_of.h"

#include <gtest/gtest.h>

#include "read_cases/load_cases.h"

namespace gcsflux::conformance {
namespace {

TEST(OperationOf, KnowsBothApis) {
  struct {
    const char* method;
    const char* target;
    const char* operation;
  } const cases[] = {
      {"GET", "/storage/v1/b/{bucket}/o/a?alt=media", "storage.objects.get"},
      {"GET", "/download/storage/v1/b/{bucket}/o/a", "storage.objects.get"},
      {"GET", "/storage/v1/b/{bucket}/o", "storage.objects.list"},
      {"POST", "/upload/storage/v1/b/{bucket}/o?name=a", "storage.objects.insert"},
      {"PUT", "/upload/storage/v1/b/{bucket}/o?upload_id=a", "storage.objects.insert"},
      {"PUT", "{session}", "storage.objects.insert"},
      {"POST", "/storage/v1/b/{bucket}/o/a/rewriteTo/b/{bucket}/o/b", "storage.objects.rewrite"},
      {"POST", "/storage/v1/b/{bucket}/o/a/moveTo/o/b", "storage.objects.move"},
      {"POST", "/storage/v1/b/{bucket}/o/a/decompose", "other"},
      {"PUT", "/storage/v1/b/{bucket}/iam", "storage.buckets.setIamPolicy"},
      {"POST", "/batch/storage/v1", "batch"},
      {"GET", "/", "xml.service.get"},
      {"GET", "/{bucket}?prefix=a", "xml.buckets.get"},
      {"GET", "/{bucket}/a/b", "xml.objects.get"},
      {"POST", "/{bucket}?delete", "xml.objects.delete_many"},
      {"POST", "/{bucket}/a?uploads", "xml.multipart.initiate"},
      {"PUT", "/{bucket}/a?partNumber=1&uploadId=2", "xml.multipart.upload_part"},
      {"POST", "/retry_test", "other"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(OperationOf(each.method, each.target), each.operation) << each.method << " " << each.target;
  }
}

TEST(OperationOf, FindsAnOperationInEveryCase) {
  const auto cases = LoadEmbeddedCases();
  ASSERT_TRUE(cases) << cases.error();
  for (const Case& each : *cases) EXPECT_FALSE(OperationsOf(each).empty()) << each.name;
}

TEST(BillingClassOf, IsThatOfThePricesPage) {
  EXPECT_EQ(BillingClassOf("storage.objects.insert"), 'A');
  EXPECT_EQ(BillingClassOf("storage.objects.list"), 'A');
  EXPECT_EQ(BillingClassOf("storage.objects.get"), 'B');
  EXPECT_EQ(BillingClassOf("storage.buckets.getIamPolicy"), 'B');
  EXPECT_EQ(BillingClassOf("storage.objects.delete"), '0');
  EXPECT_EQ(BillingClassOf("xml.buckets.get"), 'A');
  EXPECT_EQ(BillingClassOf("xml.objects.head"), 'B');
}

}  // namespace
}  // namespace gcsflux::conformance
