// The SDK's calls that store an object's bytes by the JSON API.

#include "gcsflux/upload.h"
#include "retry_tests/sdk_call.h"
#include "retry_tests/temporary_file.h"

namespace gcsflux::conformance {
namespace {

// Chunks that end neither at 256 KiB nor at 8 MiB, where instructions act.
UploadOptions InChunks(WriteMode mode) {
  return {.mode = mode, .chunk_bytes = 3U << 20, .path = WritePath::kOneStream};
}
UploadOptions InOneRequest(WriteMode mode) { return {.mode = mode, .chunk_bytes = 16U << 20}; }

Result<void> Insert(const Client& client, Scene& scene) {
  Preconditions preconditions;
  if (scene.with_precondition) preconditions.if_generation_match = 0;
  return WithoutValue(client.InsertObject(scene.new_object, AsBytes(UploadBytes()), {.preconditions = preconditions}));
}

template <WriteMode kMode>
Result<void> UploadOnce(const Client& client, Scene& scene) {
  return WithoutValue(UploadObject(client, scene.new_object, AsBytes(UploadBytes()), InOneRequest(kMode)));
}

template <WriteMode kMode>
Result<void> UploadInChunks(const Client& client, Scene& scene) {
  return WithoutValue(UploadObject(client, scene.new_object, AsBytes(UploadBytes()), InChunks(kMode)));
}

Result<void> FromFile(const Client& client, Scene& scene) {
  const auto file = TemporaryFile::Make(UploadBytes());
  if (!file) return Error{.code = ErrorCode::kLocalIo, .message = file.error()};
  return WithoutValue(UploadFile(client, file->path(), scene.new_object, InChunks(WriteMode::kCreate)));
}

template <WriteMode kMode>
Result<void> Stream(const Client& client, Scene& scene) {
  ObjectWriter writer(client, scene.new_object, InChunks(kMode));
  if (auto written = writer.Write(AsBytes(UploadBytes())); !written.ok()) return written;
  return WithoutValue(writer.Close());
}

Result<void> SuspendAndResume(const Client& client, Scene& scene) {
  const std::span<const std::byte> bytes = AsBytes(UploadBytes());
  ObjectWriter first(client, scene.new_object, InChunks(WriteMode::kCreate));
  if (auto written = first.Write(bytes.first(bytes.size() / 2)); !written.ok()) return written;
  const auto state = first.Suspend();
  if (!state.ok()) return state.error();
  auto second = ObjectWriter::Resume(client, *state);
  if (!second.ok()) return second.error();
  if (auto written = second->Write(bytes.subspan(second->position())); !written.ok()) return written;
  return WithoutValue(second->Close());
}

constexpr SdkCall kUploadCalls[] = {
    {kInsert, "", "InsertObject", Repeatable::kUnderPrecondition, &Insert, &CheckStored},
    {kInsert, "", "UploadObject.Create", Repeatable::kByItself, &UploadOnce<WriteMode::kCreate>, &CheckStored},
    {kInsert, "", "UploadObject.Overwrite", Repeatable::kByItself, &UploadOnce<WriteMode::kOverwrite>, &CheckStored},
    {kInsert, kResumable, "ObjectWriter.Create", Repeatable::kByItself, &Stream<WriteMode::kCreate>, &CheckStored},
    {kInsert, kResumable, "ObjectWriter.Overwrite", Repeatable::kByItself, &Stream<WriteMode::kOverwrite>,
     &CheckStored},
    {kInsert, kResumable, "ObjectWriter.Resume", Repeatable::kByItself, &SuspendAndResume, &CheckStored},
    {kInsert, kResumable, "UploadFile", Repeatable::kByItself, &FromFile, &CheckStored},
    {kInsert, kResumable, "UploadObject.ChunksCreate", Repeatable::kByItself, &UploadInChunks<WriteMode::kCreate>,
     &CheckStored},
    {kInsert, kResumable, "UploadObject.ChunksOverwrite", Repeatable::kByItself, &UploadInChunks<WriteMode::kOverwrite>,
     &CheckStored},
};

}  // namespace

std::span<const SdkCall> UploadCalls() { return kUploadCalls; }

}  // namespace gcsflux::conformance
