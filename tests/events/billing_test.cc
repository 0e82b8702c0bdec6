// Which of a client's requests Google charges for, and in which class.
#include "events/billing.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "client/request_billing.h"
#include "gcsflux/events.h"
#include "gcsflux/upload.h"
#include "retry/operation.h"
#include "support/raw_server.h"
#include "support/stored_objects.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {
namespace {

using internal::BillingClass;
using internal::BillingClassOf;
using internal::IsCharged;

// https://cloud.google.com/storage/pricing#operations-by-class, line by line; of the XML API by their methods.
const std::map<std::string, BillingClass, std::less<>> kOfGoogle = {
    {"buckets.insert", BillingClass::kA},
    {"buckets.get", BillingClass::kB},
    {"buckets.list", BillingClass::kA},
    {"buckets.delete", BillingClass::kFree},
    {"buckets.testIamPermissions", BillingClass::kB},
    {"notifications.list", BillingClass::kB},
    {"objects.insert", BillingClass::kA},
    {"objects.get", BillingClass::kB},
    {"objects.list", BillingClass::kA},
    {"objects.patch", BillingClass::kA},
    {"objects.update", BillingClass::kA},
    {"objects.compose", BillingClass::kA},
    {"objects.copy", BillingClass::kA},
    {"objects.rewrite", BillingClass::kA},
    {"objects.move", BillingClass::kA},
    {"objects.delete", BillingClass::kFree},
    {"uploads.cancel", BillingClass::kFree},
    {"multipartUploads.create", BillingClass::kA},
    {"multipartUploads.uploadPart", BillingClass::kA},
    {"multipartUploads.listParts", BillingClass::kB},
    {"multipartUploads.list", BillingClass::kB},
    {"multipartUploads.complete", BillingClass::kA},
    {"multipartUploads.abort", BillingClass::kFree},
};

TEST(Billing, ClassifiesEachOperationOnceAsGoogleBillsIt) {
  EXPECT_EQ(internal::kBilledOperations.size(), kOfGoogle.size());
  for (const auto& [name, billing] : kOfGoogle) EXPECT_EQ(BillingClassOf(name), billing) << name;
  EXPECT_FALSE(BillingClassOf("objects.fold"));
}

TEST(Billing, ClassifiesEveryOperationOfTheClient) {
  using internal::Operation;
  for (int i = 0; i <= static_cast<int>(Operation::kDeleteObject); ++i) {
    const internal::OperationName operation = internal::TraitsOf(static_cast<Operation>(i)).operation;
    const auto want = kOfGoogle.find(operation.name);
    ASSERT_NE(want, kOfGoogle.end()) << operation.name;
    EXPECT_EQ(operation.billing, want->second) << operation.name;
  }
}

TEST(Billing, ChargesNothingForRefusedOrUnsentRequests) {
  for (const int status : {200, 206, 304, 308}) EXPECT_TRUE(IsCharged(status, {})) << status;
  for (const int status : {307, 400, 404, 412, 429, 500, 503}) EXPECT_FALSE(IsCharged(status, {})) << status;
  for (const auto lost : {ErrorCode::kTruncated, ErrorCode::kUnavailable, ErrorCode::kCancelled, ErrorCode::kCorrupted})
    EXPECT_TRUE(IsCharged(0, lost)) << ErrorCodeName(lost);
  for (const auto unsent : {ErrorCode::kUnreachable, ErrorCode::kProxyFailed, ErrorCode::kTlsFailed})
    EXPECT_FALSE(IsCharged(0, unsent)) << ErrorCodeName(unsent);
}

TEST(OperationPrices, AreGivenPerThousandOperations) {
  EXPECT_DOUBLE_EQ(PriceOf({.class_a_operations = 1000}), 0.005);
  EXPECT_DOUBLE_EQ(PriceOf({.class_b_operations = 1000}), 0.0004);
  EXPECT_DOUBLE_EQ(
      PriceOf({.class_a_operations = 3, .class_b_operations = 5}, {.class_a_per_1000 = 1000, .class_b_per_1000 = 100}),
      3.5);
  EXPECT_DOUBLE_EQ(PriceOf({}), 0);
}

class BilledRequests : public StoredObjects {
 protected:
  // The charges of the call.
  Counters Charged(const std::function<bool()>& call) {
    const Counters before = client_.counters();
    EXPECT_TRUE(call());
    return client_.counters() - before;
  }
  void ExpectCharged(std::uint64_t class_a, std::uint64_t class_b, const char* what,
                     const std::function<bool()>& call) {
    const Counters charged = Charged(call);
    EXPECT_EQ(charged.class_a_operations, class_a) << what;
    EXPECT_EQ(charged.class_b_operations, class_b) << what;
  }
  void Fail(const std::string& operation, const emulator::FaultAction& action) {
    emulator_.faults().Load(
        {.rules = {{.name = "fault", .match = {.operation = operation}, .action = action, .limits = {.count = 1}}}});
  }

  const ObjectName object_{kBucket, "o"};
};

TEST_F(BilledRequests, CountEachOperationInItsClass) {
  const ObjectName copy{kBucket, "copy"};
  ExpectCharged(1, 0, "insert", [&] { return client_.InsertObject(object_, AsBytes("bytes")).ok(); });
  ExpectCharged(0, 1, "metadata", [&] { return client_.GetObject(object_).ok(); });
  ExpectCharged(0, 1, "bytes", [&] { return client_.ReadObject(object_).ok(); });
  ExpectCharged(1, 0, "list", [&] { return client_.ListObjects({kBucket}).ok(); });
  ExpectCharged(1, 0, "compose", [&] { return client_.ComposeObjects({{.name = "o"}}, copy).ok(); });
  ExpectCharged(1, 0, "copy", [&] { return client_.CopyObject(object_, copy).ok(); });
  ExpectCharged(1, 0, "patch", [&] { return client_.PatchObject(object_, {.content_type = "a/b"}).ok(); });
  ExpectCharged(0, 0, "delete", [&] { return client_.DeleteObject(copy).ok(); });
  ExpectCharged(0, 1, "bucket", [&] { return client_.GetBucket(kBucket).ok(); });
  ExpectCharged(1, 0, "buckets", [&] { return client_.ListBuckets().ok(); });
}

TEST_F(BilledRequests, CountAResumableUploadAsOneOperation) {
  const std::string bytes(600U << 10, 'x');
  const Counters before = client_.counters();
  ExpectCharged(1, 0, "session",
                [&] { return UploadObject(client_, object_, AsBytes(bytes), {.chunk_bytes = 256U << 10}).ok(); });
  EXPECT_GE(client_.counters().requests - before.requests, 4U);
}

TEST_F(BilledRequests, CountARewriteOfManyStepsAsOneOperation) {
  ASSERT_TRUE(client_.InsertObject(object_, AsBytes(std::string(5U << 20, 'x'))).ok());
  int steps = 0;
  ExpectCharged(1, 0, "rewrite", [&] {
    return client_
        .RewriteObject(object_, {kBucket, "nearline"},
                       {.attributes = ObjectAttributes{.storage_class = "NEARLINE"},
                        .max_bytes_per_request = 2 << 20,
                        .on_progress = [&](const Progress&) { ++steps; }})
        .ok();
  });
  EXPECT_EQ(steps, 3);
}

TEST_F(BilledRequests, CountEachRequestOfAMultipartUpload) {
  ExpectCharged(3, 2, "start, part, completion; list of parts, look at what was made", [&] {
    auto upload = MultipartUpload::Start(client_, object_);
    return upload && upload->UploadPart(1, AsBytes("part")).ok() && upload->ListParts().ok() && upload->Complete().ok();
  });
}

TEST_F(BilledRequests, CountLostAnswersButNotRefusedAttempts) {
  ASSERT_TRUE(client_.InsertObject(object_, AsBytes(std::string(1000, 'x'))).ok());
  Fail("storage.objects.get", {.type = "status", .status = 503});
  ExpectCharged(0, 1, "503, then the answer", [&] { return client_.GetObject(object_).ok(); });
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  Fail("storage.objects.get", {.type = "cut", .after_bytes = 4});
  ExpectCharged(0, 2, "cut, then the rest", [&] { return client_.ReadObject(object_).ok(); });
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  ExpectCharged(0, 0, "404", [&] { return !client_.GetObject({kBucket, "none"}).ok(); });
}

TEST_F(BilledRequests, CountTheReadBackOfAWrite) {
  Fail("storage.objects.insert", {.type = "loseAnswer"});
  ExpectCharged(1, 1, "the write, and the look", [&] { return UploadObject(client_, object_, AsBytes("bytes")).ok(); });
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
}

TEST_F(BilledRequests, CountNoUnsentRequest) {
  const Client client = *Client::Create(
      {.endpoint = RefusingEndpoint(), .project = "p", .retry = RetryPolicies::All({.max_attempts = 1})});
  EXPECT_FALSE(client.GetObject(object_).ok());
  EXPECT_EQ(client.counters().requests, 1U);
  EXPECT_EQ(client.counters().class_b_operations, 0U);
}

TEST_F(BilledRequests, CountAComposedReadAsComposeReadAndFreeDelete) {
  const auto sources = Store(std::vector<std::size_t>(32, 1000));
  const Downloader downloader(client_, {.composition = CompositionMode::kOn});
  const Counters before = client_.counters();
  ASSERT_TRUE(downloader.Download(sources).ok());
  const Counters charged = client_.counters() - before;
  EXPECT_EQ(charged.class_a_operations, downloader.composition_report().composites) << "the composes; deletes are free";
  EXPECT_GE(charged.class_a_operations, 1U);
  EXPECT_LT(charged.class_b_operations, 32U) << "a read of each composite, and the bucket's settings";
}

}  // namespace
}  // namespace gcsflux::testing
