#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "base/object_name.h"
#include "base/process/per_process.h"
#include "gcsflux/download.h"
#include "transfer/download/allocate.h"
#include "transfer/downloader/batch_recipient.h"
#include "transfer/downloader/downloader_core.h"
#include "transfer/downloader/stream_recipient.h"

namespace gcsflux {
namespace {

// The sizes come from the caller and may be wrong. If their sum overflows, it is the largest value, for which there is
// no memory.
std::uint64_t TotalBytes(std::span<const DownloadSource> sources) {
  std::uint64_t total = 0;
  for (const DownloadSource& source : sources) {
    total += std::min(source.size, std::numeric_limits<std::uint64_t>::max() - total);
  }
  return total;
}

// Names the largest source, because its size may be wrong.
std::string Describe(std::span<const DownloadSource> sources) {
  const auto& largest = *std::ranges::max_element(sources, {}, &DownloadSource::size);
  return "a batch of " + std::to_string(sources.size()) + " objects (the largest is " + ToUri(largest.object) + " of " +
         std::to_string(largest.size) + " bytes)";
}

Result<void> CheckDestinations(std::span<const DownloadSource> sources,
                               std::span<const std::span<std::byte>> destinations) {
  const auto refuse = [](const std::string& why) { return Error{ErrorCode::kInvalidArgument, "download: " + why}; };
  if (sources.size() != destinations.size()) {
    return refuse(std::to_string(destinations.size()) + " destinations for " + std::to_string(sources.size()) +
                  " objects");
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (auto checked = internal::CheckBytes(sources[i].object, destinations[i]); !checked) return checked;
    if (destinations[i].size() == sources[i].size) continue;
    return refuse("a destination of " + std::to_string(destinations[i].size()) + " bytes for " +
                  ToUri(sources[i].object) + ", which is listed with " + std::to_string(sources[i].size));
  }
  return {};
}

}  // namespace

std::vector<DownloadSource> DownloadSources(std::span<const ObjectMetadata> objects) {
  std::vector<DownloadSource> sources;
  sources.reserve(objects.size());
  for (const ObjectMetadata& o : objects) {
    sources.push_back({{o.bucket, o.name}, o.size, o.generation, o.crc32c, InternedName(o.kms_key_name)});
  }
  return sources;
}

std::vector<DownloadSource> DownloadSources(const std::string& bucket, std::span<const ListedObject> objects) {
  std::vector<DownloadSource> sources;
  sources.reserve(objects.size());
  for (const ListedObject& o : objects) {
    sources.push_back({{bucket, o.name}, o.size, o.generation, o.crc32c, o.kms_key_name});
  }
  return sources;
}

Downloader::Downloader(Client client, const DownloaderOptions& options)
    : cores_(std::make_shared<const internal::PerProcess<const internal::DownloaderCore>>(
          [client = std::move(client), options](const internal::DownloaderCore*) {
            return std::make_unique<const internal::DownloaderCore>(client, options);
          })) {}

Result<std::vector<DownloadedObject>> Downloader::Download(std::span<const DownloadSource> sources,
                                                           const std::stop_token& stop) const {
  return internal::ExceptionsAsErrors([&]() -> Result<std::vector<DownloadedObject>> {
    const auto blocks = std::make_shared<internal::BlockPool>(0);
    auto memory = internal::Allocate(cores_->Get().options().allocator, *blocks, TotalBytes(sources),
                                     [&] { return Describe(sources); });
    if (!memory) return memory.error();
    std::vector<std::span<std::byte>> places;
    places.reserve(sources.size());
    std::byte* next = memory->get();
    for (const DownloadSource& source : sources) {
      places.emplace_back(next, static_cast<std::size_t>(source.size));
      next += source.size;
    }
    auto batch = Download(sources, places, stop);
    if (!batch) return batch;
    for (DownloadedObject& object : *batch) object.memory = *memory;
    return batch;
  });
}

Result<std::vector<DownloadedObject>> Downloader::Download(std::span<const DownloadSource> sources,
                                                           std::span<const std::span<std::byte>> destinations,
                                                           const std::stop_token& stop) const {
  return internal::ExceptionsAsErrors([&]() -> Result<std::vector<DownloadedObject>> {
    if (auto checked = CheckDestinations(sources, destinations); !checked) return checked.error();
    const internal::DownloaderCore& core = cores_->Get();
    if (auto ready = core.CheckReady(); !ready) return ready.error();
    internal::SourceWindow window(sources);
    internal::BatchRecipient recipient(destinations, core.options().delivers_failures);
    auto errors = recipient.Fetch(core.slots(), core.MethodFor(window), stop);
    if (!errors) return errors.error();
    std::vector<DownloadedObject> objects(sources.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      objects[i] = {.index = i, .error = std::move((*errors)[i])};
      if (!objects[i].error) objects[i].bytes = destinations[i];
    }
    return objects;
  });
}

CompositionReport Downloader::composition_report() const { return cores_->Get().composition_report(); }

DownloadStream Downloader::Stream(std::vector<DownloadSource> sources, DeliveryOrder order,
                                  std::stop_token stop) const {
  return DownloadStream(internal::OwnedByProcess(
      std::make_unique<internal::StreamRecipient>(cores_->Share(), std::move(sources), order, std::move(stop))));
}

DownloadStream::DownloadStream(std::shared_ptr<internal::StreamRecipient> recipient)
    : recipient_(std::move(recipient)) {}
DownloadStream::DownloadStream(DownloadStream&&) noexcept = default;
DownloadStream& DownloadStream::operator=(DownloadStream&&) noexcept = default;
DownloadStream::~DownloadStream() = default;

Result<std::optional<DownloadedObject>> DownloadStream::Next() {
  if (!recipient_) return internal::MovedFrom("DownloadStream");
  return internal::ExceptionsAsErrors([this] { return recipient_->Next(); });
}

}  // namespace gcsflux
