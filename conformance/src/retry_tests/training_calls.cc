// What a training run does: it reads epochs, also through composites, and saves checkpoints.

#include <vector>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

constexpr std::size_t kSamples = 4;  // Each is the scene's object.

void Receive(std::span<const std::byte> bytes, Scene& scene) {
  scene.received.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string SampleBytes() {
  std::string all;
  for (std::size_t i = 0; i < kSamples; ++i) all += ObjectBytes();
  return all;
}

// What a dataset does in an epoch: the listing, then the samples in an order of its own, fetched ahead.
Result<void> Epoch(const Client& client, Scene& scene) {
  const auto listed = ListPrefix(client, {scene.bucket, ""});
  if (!listed.ok()) return listed.error();
  const std::vector<DownloadSource> objects = DownloadSources(listed->objects);
  if (objects.size() != 1) return Unexpected("the listing has another number of objects than 1");
  DownloadStream stream = Downloader(client).Stream(std::vector<DownloadSource>(kSamples, objects[0]));
  for (;;) {
    const auto sample = stream.Next();
    if (!sample.ok()) return sample.error();
    if (!*sample) return {};
    Receive((*sample)->bytes, scene);
  }
}

std::string CheckEpoch(const Service& /*service*/, const Scene& scene) { return WhyNotReceived(scene, SampleBytes()); }

Result<void> ReadThroughComposite(const Client& client, Scene& scene) {
  const DownloadSource source{.object = scene.object, .size = ObjectBytes().size(), .generation = scene.generation};
  const Downloader downloader(client, {.composition = CompositionMode::kOn});
  const auto batch = downloader.Download(std::vector<DownloadSource>(kSamples, source));
  if (!batch.ok()) return batch.error();
  for (const DownloadedObject& object : *batch) Receive(object.bytes, scene);
  return {};
}

std::string CheckComposite(const Service& service, const Scene& scene) {
  std::string why = CheckEpoch(service, scene);
  return why.empty() ? WhyNotEmpty(service, scene.bucket, "dataflux-composed-objects/") : why;
}

template <WriteMode kMode>
Result<void> SaveCheckpoint(const Client& client, Scene& scene) {
  const TensorWrite tensor{.name = "weights",
                           .dtype = DType::kUint8,
                           .shape = {static_cast<std::int64_t>(UploadBytes().size())},
                           .elements = AsBytes(UploadBytes())};
  const std::string uri = "gs://" + scene.new_object.bucket + "/" + scene.new_object.name;
  // Chunks that end neither at 256 KiB nor at 8 MiB, where instructions act.
  return WithoutValue(SaveTensors(client, uri, std::span(&tensor, 1), {},
                                  {.mode = kMode, .chunk_bytes = 3U << 20, .path = WritePath::kOneStream}));
}

// In a file of safetensors the elements come last.
std::string CheckSaved(const Service& service, const Scene& scene) {
  const auto stored = StoredOnce(service, scene.new_object);
  if (!stored) return stored.error();
  return stored->ends_with(UploadBytes()) ? "" : "the checkpoint does not end with the tensor's elements";
}

constexpr SdkCall kTrainingCalls[] = {
    {kComposedDownload, "", "Downloader.Composed", Repeatable::kAlways, &ReadThroughComposite, &CheckComposite},
    {kGet, kDownload, "Epoch", Repeatable::kAlways, &Epoch, &CheckEpoch},
    {kInsert, kResumable, "SaveTensors.Create", Repeatable::kByItself, &SaveCheckpoint<WriteMode::kCreate>,
     &CheckSaved},
    {kInsert, kResumable, "SaveTensors.Overwrite", Repeatable::kByItself, &SaveCheckpoint<WriteMode::kOverwrite>,
     &CheckSaved},
};

}  // namespace

std::span<const SdkCall> TrainingCalls() { return kTrainingCalls; }

}  // namespace gcsflux::conformance
