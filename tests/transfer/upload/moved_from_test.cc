// A handle that was moved from fails clearly.
#include <gtest/gtest.h>

#include <utility>

#include "gcsflux/upload.h"
#include "support/fake_gcs.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using testing::kObject;

template <class T>
void ExpectMovedFrom(const Result<T>& result) {
  EXPECT_EQ(ErrorOf(result).code, ErrorCode::kInvalidArgument);
  EXPECT_NE(ErrorOf(result).message.find("was moved from"), std::string::npos) << ErrorOf(result).message;
}

TEST(MovedFrom, ObjectWriterFailsAndItsSuccessorWrites) {
  testing::FakeGcs gcs;
  ObjectWriter writer(testing::MakeClient(gcs), kObject);
  ASSERT_TRUE(writer.Write(AsBytes(std::string("by"))).ok());
  ObjectWriter other(std::move(writer));
  // NOLINTBEGIN(bugprone-use-after-move): this is what is tested.
  ExpectMovedFrom(writer.Write(AsBytes(std::string("x"))));
  ExpectMovedFrom(writer.Close());
  ExpectMovedFrom(writer.Suspend());
  EXPECT_EQ(writer.position(), 0U);
  EXPECT_EQ(writer.report().parts, 0U);
  writer.Cancel();
  // NOLINTEND(bugprone-use-after-move)
  ASSERT_TRUE(other.Write(AsBytes(std::string("tes"))).ok());
  EXPECT_TRUE(other.Close().ok());
  EXPECT_EQ(gcs.objects["o"].bytes, "bytes");
}

TEST(MovedFrom, MultipartUploadFails) {
  testing::FakeGcs gcs;
  auto upload = MultipartUpload::Resume(testing::MakeClient(gcs), kObject, "id");
  ASSERT_TRUE(upload.ok());
  MultipartUpload other(*std::move(upload));
  ExpectMovedFrom(upload->UploadPart(1, {}));
  ExpectMovedFrom(upload->KeepPart({.number = 1}, 0));
  ExpectMovedFrom(upload->ListParts());
  ExpectMovedFrom(upload->Complete());
  ExpectMovedFrom(upload->Abort());
  EXPECT_EQ(upload->upload_id(), "");
  upload->Suspend();
  EXPECT_EQ(other.upload_id(), "id");
  other.Suspend();
}

}  // namespace
}  // namespace gcsflux
