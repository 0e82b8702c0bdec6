// The SDK's calls that read an object's bytes.

#include <array>
#include <cstring>
#include <thread>

#include "gcsflux/download.h"
#include "retry_tests/sdk_call.h"

namespace gcsflux::conformance {
namespace {

constexpr std::size_t kRangeOffset = 100'000;
constexpr std::size_t kRangeBytes = 1'500'000;

std::span<std::byte> Room(std::string& text, std::size_t bytes) {
  text.resize(bytes);
  return std::as_writable_bytes(std::span(text));
}

Result<void> IntoMemory(const Client& client, Scene& scene) {
  return WithoutValue(client.ReadObject(scene.object, Room(scene.received, ObjectBytes().size())));
}

Result<void> IntoSink(const Client& client, Scene& scene) {
  const ByteSink sink = [&scene](std::span<const std::byte> bytes) {
    scene.received.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  };
  return WithoutValue(client.ReadObject(scene.object, sink));
}

Result<void> IntoString(const Client& client, Scene& scene) {
  auto read = client.ReadObject(scene.object);
  if (!read.ok()) return read.error();
  scene.received = *std::move(read);
  return {};
}

Result<void> Range(const Client& client, Scene& scene) {
  return WithoutValue(client.ReadObject(scene.object, Room(scene.received, kRangeBytes),
                                        {.range = ByteRange{kRangeOffset, kRangeBytes}}));
}

Result<void> ParallelRanges(const Client& client, Scene& scene) {
  constexpr std::size_t kRanges = 4;
  const std::span<std::byte> room = Room(scene.received, ObjectBytes().size());
  const std::size_t length = room.size() / kRanges;
  std::array<Result<void>, kRanges> results;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kRanges; ++i) {
      threads.emplace_back([&, i] {
        results[i] = WithoutValue(client.ReadObject(scene.object, room.subspan(i * length, length),
                                                    {.range = ByteRange{i * length, length}}));
      });
    }
  }
  for (const Result<void>& result : results) {
    if (!result.ok()) return result;
  }
  return {};
}

Result<void> Batch(const Client& client, Scene& scene) {
  const DownloadSource source{.object = scene.object, .size = ObjectBytes().size(), .generation = scene.generation};
  const auto batch = Downloader(client).Download(std::span(&source, 1));
  if (!batch.ok()) return batch.error();
  const std::span<const std::byte> bytes = (*batch)[0].bytes;
  scene.received.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {};
}

std::string CheckRange(const Service& /*service*/, const Scene& scene) {
  return WhyNotReceived(scene, ObjectBytes().substr(kRangeOffset, kRangeBytes));
}

constexpr SdkCall kDownloadCalls[] = {
    {kGet, kDownload, "Downloader", Repeatable::kAlways, &Batch, &CheckWhole},
    {kGet, kDownload, "ReadObject.Memory", Repeatable::kAlways, &IntoMemory, &CheckWhole},
    {kGet, kDownload, "ReadObject.ParallelRanges", Repeatable::kAlways, &ParallelRanges, &CheckWhole},
    {kGet, kDownload, "ReadObject.Range", Repeatable::kAlways, &Range, &CheckRange},
    {kGet, kDownload, "ReadObject.Sink", Repeatable::kAlways, &IntoSink, &CheckWhole},
    {kGet, kDownload, "ReadObject.String", Repeatable::kAlways, &IntoString, &CheckWhole},
};

}  // namespace

std::span<const SdkCall> DownloadCalls() { return kDownloadCalls; }

}  // namespace gcsflux::conformance
