// The SDK's calls that store an object by the XML API's multipart uploads.

#include "gcsflux/multipart_upload.h"
#include "retry_tests/sdk_call.h"
#include "retry_tests/temporary_file.h"

namespace gcsflux::conformance {
namespace {

Result<void> PartByPart(const Client& client, Scene& scene) {
  const std::span<const std::byte> bytes = AsBytes(UploadBytes());
  auto upload = MultipartUpload::Start(client, scene.new_object);
  if (!upload.ok()) return upload.error();
  if (auto sent = upload->UploadPart(2, bytes.subspan(kPartBytes)); !sent.ok()) return sent;
  if (auto sent = upload->UploadPart(1, bytes.first(kPartBytes)); !sent.ok()) return sent;
  return WithoutValue(upload->Complete());
}

Result<void> FromMemoryInParts(const Client& client, Scene& scene) {
  return WithoutValue(
      UploadObjectInParallel(client, scene.new_object, AsBytes(UploadBytes()), {.part_bytes = kPartBytes}));
}

Result<void> FromFileInParts(const Client& client, Scene& scene) {
  const auto file = TemporaryFile::Make(UploadBytes());
  if (!file) return Error{.code = ErrorCode::kLocalIo, .message = file.error()};
  return WithoutValue(UploadFileInParallel(client, file->path(), scene.new_object, {.part_bytes = kPartBytes}));
}

Result<void> StartAndAbort(const Client& client, Scene& scene) {
  auto upload = MultipartUpload::Start(client, scene.new_object);
  if (!upload.ok()) return upload.error();
  return upload->Abort();
}

std::string CheckNotStored(const Service& service, const Scene& scene) {
  return WhyNot(404, service, ObjectTarget(scene.new_object));
}

constexpr SdkCall kMultipartCalls[] = {
    {kInsert, "", "MultipartUpload", Repeatable::kByItself, &PartByPart, &CheckStored},
    {kInsert, "", "UploadFileInParallel", Repeatable::kByItself, &FromFileInParts, &CheckStored},
    {kInsert, "", "UploadObjectInParallel", Repeatable::kByItself, &FromMemoryInParts, &CheckStored},
    {"storage.objects.delete", "", "MultipartUpload.Abort", Repeatable::kByItself, &StartAndAbort, &CheckNotStored},
};

}  // namespace

std::span<const SdkCall> MultipartCalls() { return kMultipartCalls; }

}  // namespace gcsflux::conformance
