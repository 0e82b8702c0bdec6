// ObjectWriter into buckets of every kind: its method, its result, and that nothing temporary is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

using testing::kObject;
using testing::kPart;

class WriterBucketsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt")); }

  void Patch(const std::string& json) {
    emulator::RawConnection connection(emulator_.endpoint());
    ASSERT_EQ(connection.Call("PATCH", "/storage/v1/b/bkt", "", json).status, 200);
  }
  // For any query of the listing: "softDeleted=true", "versions=true".
  std::string Listed(const std::string& query) {
    emulator::RawConnection connection(emulator_.endpoint());
    return connection.Call("GET", "/storage/v1/b/bkt/o?fields=items(name)&" + query).body;
  }
  Result<UploadReport> Store(UploadOptions options = {}, WritePath path = WritePath::kAuto) {
    options.path = path;
    options.part_bytes = kPart;
    ObjectWriter writer(client_, kObject, options);
    if (auto written = writer.Write(AsBytes(bytes_)); !written) return written.error();
    if (auto stored = writer.Close(); !stored) return stored.error();
    return writer.report();
  }
  void ExpectStored(const Result<UploadReport>& report, WritePath path, const std::string& reason = "") {
    ASSERT_TRUE(report.ok()) << testing::ErrorOf(report).message;
    EXPECT_EQ(report->path, path);
    EXPECT_THAT(report->reason, HasSubstr(reason));
    EXPECT_EQ(client_.GetObject(kObject)->size, bytes_.size());
    EXPECT_TRUE(ListPrefix(client_, {"bkt", "gcsflux-uploads/"})->objects.empty());
    EXPECT_TRUE(ListMultipartUploads(client_, {"bkt", ""})->empty());
  }

  const std::string bytes_ = std::string(2 * kPart + 3, 'b');
  emulator::Emulator emulator_{{.default_soft_delete = hours(7 * 24)}};
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_F(WriterBucketsTest, KeepNoSoftDeletedTemporaryObject) {
  ExpectStored(Store(), WritePath::kParallel);
  EXPECT_THAT(Listed("softDeleted=true"), Not(HasSubstr("gcsflux-uploads/")));
}

TEST_F(WriterBucketsTest, KeepTheReplacedVersionButNoTemporaryOne) {
  Patch(R"({"versioning": {"enabled": true}})");
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes("old")).ok());
  ExpectStored(Store(), WritePath::kParallel);
  const std::string versions = Listed("versions=true");
  EXPECT_THAT(versions, Not(HasSubstr("gcsflux-uploads/")));
  EXPECT_NE(versions.find("\"o\""), versions.rfind("\"o\"")) << versions;
}

TEST_F(WriterBucketsTest, GetOneStreamUnderARetentionPolicy) {
  Patch(R"({"retentionPolicy": {"retentionPeriod": "3600"}})");
  ExpectStored(Store(), WritePath::kOneStream, "retention policy");
}

TEST_F(WriterBucketsTest, GetOneStreamUnderADefaultHold) {
  Patch(R"({"defaultEventBasedHold": true})");
  ExpectStored(Store(), WritePath::kOneStream, "event-based hold");
}

TEST_F(WriterBucketsTest, ApplyHoldsOnlyToTheFinalObject) {
  ExpectStored(Store({.attributes = {.event_based_hold = true, .temporary_hold = true}}), WritePath::kParallel);
  const auto stored = client_.GetObject(kObject);
  EXPECT_TRUE(stored->event_based_hold && stored->temporary_hold);
}

TEST_F(WriterBucketsTest, StoreUnderTheGivenKeys) {
  const std::string kms = "projects/p/locations/us/keyRings/r/cryptoKeys/k";
  ExpectStored(Store({.kms_key_name = kms}), WritePath::kParallel);
  EXPECT_THAT(client_.GetObject(kObject)->kms_key_name, HasSubstr(kms));
  const auto key = EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  ExpectStored(Store({.encryption_key = *key}), WritePath::kParallel);
  EXPECT_FALSE(client_.ReadObject(kObject).ok());
  EXPECT_EQ(*client_.ReadObject(kObject, {.encryption_key = *key}), bytes_);
}

// Each request names the project that pays: those of the XML API by a header, which the journal does not show.
TEST_F(WriterBucketsTest, LetTheRequesterPay) {
  const std::uint64_t before = emulator_.journal().back().number;
  ASSERT_TRUE(Store({.call = {.user_project = "payer"}}).ok());
  int paid = 0;
  for (const auto& record : emulator_.journal()) {
    const bool is_xml = !record.target.starts_with("/storage/");
    if (record.number <= before || is_xml) continue;
    ++paid;
    EXPECT_THAT(record.target, HasSubstr("userProject=payer")) << record.operation << record.phase;
  }
  EXPECT_GE(paid, 4);
}

}  // namespace
}  // namespace gcsflux
