// The table of operations, and look-ups by an operation's name.

#include "operations/known_operations.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

std::vector<const Operation*> AllRows() {
  std::vector<const Operation*> rows;
  for (const Operation& row : JsonOperations()) rows.push_back(&row);
  for (const Operation& row : UnservedOperations()) rows.push_back(&row);
  for (const Operation& row : XmlOperations()) rows.push_back(&row);
  return rows;
}

TEST(Operations, HaveANameAndARequest) {
  for (const Operation* row : AllRows()) {
    EXPECT_TRUE(row->name.starts_with("storage.")) << row->request;
    EXPECT_EQ(row->request, std::string(MethodOf(*row)) + " /" + std::string(PathOf(*row))) << row->name;
  }
}

TEST(Operations, HaveAHandlerIfTheyAreServed) {
  for (const JsonOperation& row : JsonOperations()) EXPECT_NE(row.handler, nullptr) << row.request;
  for (const XmlOperation& row : XmlOperations()) EXPECT_NE(row.handler, nullptr) << row.request;
}

TEST(Operations, HaveDistinctRequests) {
  std::set<std::string_view> json;
  for (const Operation& row : JsonOperations()) EXPECT_TRUE(json.insert(row.request).second) << row.request;
  for (const Operation& row : UnservedOperations()) EXPECT_TRUE(json.insert(row.request).second) << row.request;
  std::set<std::string_view> xml;
  for (const Operation& row : XmlOperations()) EXPECT_TRUE(xml.insert(row.request).second) << row.request;
}

// These columns do not depend on the API or the path.
TEST(Operations, AgreeIfNameAndPhaseAreTheSame) {
  std::map<std::pair<std::string_view, std::string_view>, const Operation*> first;
  for (const Operation* row : AllRows()) {
    const Operation& other = *first.emplace(std::pair(row->name, row->phase), row).first->second;
    EXPECT_EQ(row->traffic_class, other.traffic_class) << row->request << " and " << other.request;
    EXPECT_EQ(row->mutates_object, other.mutates_object) << row->request << " and " << other.request;
    EXPECT_EQ(row->is_retry_method, other.is_retry_method) << row->request << " and " << other.request;
    EXPECT_EQ(row->counts_as, other.counts_as) << row->request << " and " << other.request;
  }
}

TEST(TrafficClass, IsFoundByAnOperationsName) {
  struct Case {
    const char* operation;
    const char* phase;
    std::optional<TrafficClass> want;
    bool mutates;
  };
  const Case cases[] = {
      {"storage.objects.get", "", TrafficClass::kRead, false},
      {"storage.buckets.get", "", TrafficClass::kRead, false},
      {"storage.objects.list", "", TrafficClass::kList, false},
      {"storage.multipartUploads.listParts", "", TrafficClass::kList, false},
      {"storage.objects.insert", "", TrafficClass::kWrite, true},
      {"storage.objects.insert", "start", TrafficClass::kWrite, false},
      {"storage.objects.insert", "chunk", TrafficClass::kWrite, false},
      {"storage.objects.insert", "status", TrafficClass::kWrite, false},
      {"storage.objects.insert", "final", TrafficClass::kWrite, true},
      {"storage.objects.delete", "", TrafficClass::kDelete, true},
      {"storage.objects.delete", "cancel", TrafficClass::kDelete, false},
      {"storage.objects.compose", "", TrafficClass::kCompose, true},
      {"storage.objects.patch", "", TrafficClass::kWrite, true},
      {"storage.multipartUploads.create", "part", TrafficClass::kWrite, false},
      {"storage.multipartUploads.create", "complete", TrafficClass::kWrite, true},
      {"storage.multipartUploads.abort", "abort", TrafficClass::kDelete, false},
      {"unknown", "", std::nullopt, false},
      {"oauth2.token", "", std::nullopt, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ClassOf(c.operation, c.phase), c.want) << c.operation << " " << c.phase;
    EXPECT_EQ(MutatesObject(c.operation, c.phase), c.mutates) << c.operation << " " << c.phase;
  }
}

TEST(RetryMethods, AreThoseOfThePublicScenarios) {
  for (const char* method : {"storage.objects.get", "storage.buckets.setIamPolicy", "storage.object_acl.patch",
                             "storage.hmacKey.create", "storage.serviceaccount.get", "storage.notifications.list"}) {
    EXPECT_TRUE(IsRetryMethod(method)) << method;
  }
  for (const char* method :
       {"", "storage.objects", "storage.objects.move", "objects.get", "storage.multipartUploads.create"}) {
    EXPECT_FALSE(IsRetryMethod(method)) << method;
  }
}

TEST(RetryMethods, CountEveryUploadRequestAsAnInsert) {
  EXPECT_EQ(RetryMethodOf("storage.multipartUploads.create"), "storage.objects.insert");
  EXPECT_EQ(RetryMethodOf("storage.multipartUploads.abort"), "storage.objects.delete");
  EXPECT_EQ(RetryMethodOf("storage.objects.list"), "storage.objects.list");
}

}  // namespace
}  // namespace gcsflux::emulator
