// A server that is not the service, such as the login page of a network, answers everything with 200 and HTML. No call
// accepts that as its answer: nothing was read, stored or deleted.
#include <gtest/gtest.h>

#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "gcsflux/listing.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "support/circular_service.h"
#include "support/fails_with.h"
#include "support/result.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {
namespace {

struct Operation {
  const char* name;
  Result<void> (*run)(const Client&);
};

Result<void> DownloadBatch(const Client& client) {
  const std::vector<DownloadSource> sources{{.object = kObject, .size = 10, .generation = 7}};
  return WithoutValue(Downloader(client).Download(sources));
}

Result<void> DownloadToFile(const Client& client) {
  const TestDirectory directory;
  return WithoutValue(DownloadFile(client, kObject, directory.path() / "file"));
}

Result<void> WriteStream(const Client& client) {
  ObjectWriter writer(client, kObject, {.chunk_bytes = 1, .path = WritePath::kOneStream});
  const std::string bytes(1 << 20, 'x');
  if (auto written = writer.Write(AsBytes(bytes)); !written) return written;
  return WithoutValue(writer.Close());
}

const Operation kOperations[] = {
    {"buckets.insert", [](const Client& c) { return WithoutValue(c.InsertBucket("bkt")); }},
    {"buckets.get", [](const Client& c) { return WithoutValue(c.GetBucket("bkt")); }},
    {"buckets.list", [](const Client& c) { return WithoutValue(c.ListBuckets()); }},
    {"buckets.delete", [](const Client& c) { return c.DeleteBucket("bkt"); }},
    {"buckets.testIamPermissions", [](const Client& c) { return WithoutValue(c.TestBucketPermissions("bkt", {"p"})); }},
    {"objects.insert", [](const Client& c) { return WithoutValue(c.InsertObject(kObject, AsBytes("x"))); }},
    {"objects.get", [](const Client& c) { return WithoutValue(c.GetObject(kObject)); }},
    {"objects.get, bytes", [](const Client& c) { return WithoutValue(c.ReadObject(kObject)); }},
    {"objects.list", [](const Client& c) { return WithoutValue(c.ListObjects({"bkt"})); }},
    {"a prefix", [](const Client& c) { return WithoutValue(ListPrefix(c, {"bkt"})); }},
    {"a prefix in parallel", [](const Client& c) { return WithoutValue(ListInParallel(c, {"bkt"})); }},
    {"objects.patch", [](const Client& c) { return WithoutValue(c.PatchObject(kObject, {})); }},
    {"objects.update", [](const Client& c) { return WithoutValue(c.UpdateObject(kObject, {})); }},
    {"objects.compose", [](const Client& c) { return WithoutValue(c.ComposeObjects({{"a"}}, kObject)); }},
    {"objects.copy",
     [](const Client& c) {
       return WithoutValue(c.CopyObject({"bkt", "a"}, kObject));
     }},
    {"objects.rewrite",
     [](const Client& c) {
       return WithoutValue(c.RewriteObject({"bkt", "a"}, kObject));
     }},
    {"objects.delete", [](const Client& c) { return c.DeleteObject(kObject); }},
    {"an upload in one request", [](const Client& c) { return WithoutValue(UploadObject(c, kObject, AsBytes("x"))); }},
    {"an upload by a session", WriteStream},
    {"an upload in parts", [](const Client& c) { return WithoutValue(MultipartUpload::Start(c, kObject)); }},
    {"the abort of an upload",
     [](const Client& c) {
       return AbortMultipartUpload(c, {kObject, "u"});
     }},
    {"the uploads", [](const Client& c) { return WithoutValue(ListMultipartUploads(c, {"bkt"})); }},
    {"a batch", DownloadBatch},
    {"a file", DownloadToFile},
    {"a reader", [](const Client& c) { return WithoutValue(ObjectReader::Open(c, kObject)); }},
};

TEST(OtherServer, IsNotMistakenForTheService) {
  for (const Operation& operation : kOperations) {
    const CircularService service({"<!DOCTYPE html><html><body>Please log in</body></html>"});
    EXPECT_TRUE(testing::FailsWith(operation.run(service.client()), ErrorCode::kBadResponse)) << operation.name;
  }
}

TEST(EmptyAnswer, IsAcceptedOnlyForDeletions) {
  for (const Operation& operation : kOperations) {
    const CircularService service({""});
    const auto outcome = operation.run(service.client());
    const std::string_view name = operation.name;
    const bool is_deletion = name.ends_with(".delete") || name == "the abort of an upload";
    EXPECT_EQ(outcome.ok(), is_deletion) << name;
    if (!outcome.ok()) {
      EXPECT_EQ(outcome.error().code, ErrorCode::kBadResponse) << name << ": " << outcome.error().message;
    }
  }
}

}  // namespace
}  // namespace gcsflux::testing
