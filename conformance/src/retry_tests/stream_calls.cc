// The SDK's classes that write and read one object over many connections.

#include <algorithm>

#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

constexpr std::size_t kStripe = 700'000;

template <WriteMode kMode>
Result<void> WriteInParallel(const Client& client, Scene& scene) {
  ObjectWriter writer(client, scene.new_object,
                      {.mode = kMode, .part_bytes = kPartBytes, .path = WritePath::kParallel});
  if (auto written = writer.Write(AsBytes(UploadBytes())); !written.ok()) return written;
  return WithoutValue(writer.Close());
}

// Opened by its generation: every request is one of a range.
Result<ObjectReader> OpenByGeneration(const Client& client, const Scene& scene) {
  const DownloadSource source{.object = scene.object, .size = ObjectBytes().size(), .generation = scene.generation};
  return ObjectReader::Open(client, source, {.range_bytes = kStripe});
}

Result<void> FromFrontToBack(const Client& client, Scene& scene) {
  auto reader = OpenByGeneration(client, scene);
  if (!reader.ok()) return reader.error();
  scene.received.resize(ObjectBytes().size());
  const auto room = std::as_writable_bytes(std::span(scene.received));
  while (reader->position() < room.size()) {
    const auto rest = room.subspan(static_cast<std::size_t>(reader->position()));
    const auto read = reader->ReadNext(rest.first(std::min<std::size_t>(rest.size(), 200'000)));
    if (!read.ok()) return read.error();
  }
  return reader->VerifyWhole();
}

Result<void> AtOnce(const Client& client, Scene& scene) {
  const auto reader = OpenByGeneration(client, scene);
  if (!reader.ok()) return reader.error();
  scene.received.resize(ObjectBytes().size());
  const auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(scene.received)));
  if (!read.ok()) return read.error();
  return reader->VerifyWhole();
}

constexpr SdkCall kStreamCalls[] = {
    {kInsert, "", "ObjectWriter.PartsCreate", Repeatable::kByItself, &WriteInParallel<WriteMode::kCreate>,
     &CheckStored},
    {kInsert, "", "ObjectWriter.PartsOverwrite", Repeatable::kByItself, &WriteInParallel<WriteMode::kOverwrite>,
     &CheckStored},
    {kGet, kDownload, "ObjectReader.ReadAt", Repeatable::kAlways, &AtOnce, &CheckWhole},
    {kGet, kDownload, "ObjectReader.ReadNext", Repeatable::kAlways, &FromFrontToBack, &CheckWhole},
};

}  // namespace

std::span<const SdkCall> StreamCalls() { return kStreamCalls; }

}  // namespace gcsflux::conformance
