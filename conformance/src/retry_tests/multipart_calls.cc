// The SDK's calls that store an object by the XML API's multipart uploads.

#include "gcsflux/multipart_upload.h"
#include "retry_tests/sdk_call.h"
#include "retry_tests/temporary_file.h"

namespace gcsflux::conformance {
namespace {

constexpr auto kMethod = "storage.objects.insert";
constexpr std::size_t kPartBytes = 5U << 20;  // The minimum of GCS: two parts, sent at the same time.

Result<void> PartByPart(const Client& client, Scene& scene) {
  const std::span<const std::byte> bytes = AsBytes(UploadBytes());
  auto upload = MultipartUpload::Start(client, scene.new_object);
  if (!upload.ok()) return upload.error();
  if (auto sent = upload->UploadPart(2, bytes.subspan(kPartBytes)); !sent.ok()) return sent;
  if (auto sent = upload->UploadPart(1, bytes.first(kPartBytes)); !sent.ok()) return sent;
  return WithoutValue(upload->Complete());
}

Result<void> FromMemory(const Client& client, Scene& scene) {
  return WithoutValue(
      UploadObjectInParallel(client, scene.new_object, AsBytes(UploadBytes()), {.part_bytes = kPartBytes}));
}

Result<void> FromFile(const Client& client, Scene& scene) {
  const auto file = TemporaryFile::Make(UploadBytes());
  if (!file) return Error{.code = ErrorCode::kLocalIo, .message = file.error()};
  return WithoutValue(UploadFileInParallel(client, file->path(), scene.new_object, {.part_bytes = kPartBytes}));
}

std::string CheckStored(const Service& service, const Scene& scene) {
  return WhyNotStoredOnce(service, scene.new_object, UploadBytes());
}

Result<void> StartAndAbort(const Client& client, Scene& scene) {
  auto upload = MultipartUpload::Start(client, scene.new_object);
  if (!upload.ok()) return upload.error();
  return upload->Abort();
}

std::string CheckNotStored(const Service& service, const Scene& scene) {
  return WhyNot(404, service, ObjectTarget(scene.new_object));
}

constexpr SdkCall kCalls[] = {
    {kMethod, "", "MultipartUpload", Repeatable::kByItself, &PartByPart, &CheckStored},
    {kMethod, "", "UploadFileInParallel", Repeatable::kByItself, &FromFile, &CheckStored},
    {kMethod, "", "UploadObjectInParallel", Repeatable::kByItself, &FromMemory, &CheckStored},
    {"storage.objects.delete", "", "MultipartUpload.Abort", Repeatable::kByItself, &StartAndAbort, &CheckNotStored},
};

}  // namespace

std::span<const SdkCall> MultipartCalls() { return kCalls; }

}  // namespace gcsflux::conformance
