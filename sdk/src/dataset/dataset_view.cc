#include "dataset/dataset_view.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/object_name.h"
#include "dataset/fingerprint.h"

namespace gcsflux::internal {
namespace {

// A sample of a view.
struct Place {
  std::uint32_t part = 0;
  std::size_t index = 0;
};

struct View {
  std::vector<SharedSettings> parts = {};
  std::vector<Place> places = {};

  [[nodiscard]] const DatasetCore::Settings& PartOf(std::size_t sample) const { return *parts[places[sample].part]; }
};

DownloadSource SourceIn(const DatasetCore::Settings& part, std::size_t index) {
  const ListedObject& listed = part.objects[index];
  if (part.source_of) return part.source_of(index, listed);
  return {{part.prefix.bucket, listed.name}, listed.size, listed.generation, listed.crc32c, listed.kms_key_name};
}

DatasetCore::Settings SettingsOf(View view, ObjectName prefix) {
  DatasetCore::Settings settings{.prefix = std::move(prefix)};
  settings.objects.reserve(view.places.size());
  for (const Place& place : view.places) settings.objects.push_back(view.parts[place.part]->objects[place.index]);
  const auto shared = std::make_shared<const View>(std::move(view));
  settings.source_of = [shared](std::size_t sample, const ListedObject&) {
    return SourceIn(shared->PartOf(sample), shared->places[sample].index);
  };
  settings.work = {
      .make = shared->parts.front()->work.make,
      .decode =
          [shared](void* batch, std::size_t place, const ListedObject&, DownloadedObject& bytes,
                   const SampleContext& context) {
            const auto& part = shared->PartOf(context.index);
            const std::size_t index = shared->places[context.index].index;
            return part.work.decode(batch, place, part.objects[index], bytes, context);
          },
      .is_instant = std::ranges::all_of(shared->parts, [](const auto& part) { return part->work.is_instant; })};
  return settings;
}

Error Refuse(const std::string& why) { return {ErrorCode::kInvalidArgument, why}; }

// The first one's bucket and prefix, and behind it those of the others.
ObjectName NameOf(const std::vector<SharedSettings>& parts) {
  ObjectName name = parts.front()->prefix;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const ObjectName& other = parts[i]->prefix;
    name.name += " + " + (other.bucket == name.bucket ? other.name : ToUri(other));
  }
  return name;
}

}  // namespace

Result<DatasetCore::Settings> JoinedSettings(const std::vector<SharedSettings>& parts) {
  if (parts.empty()) return Refuse("joined datasets: none is given");
  View view{.parts = parts};
  std::vector<ListingFingerprint> seen;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    seen.push_back(FingerprintOf(parts[i]->prefix, parts[i]->objects));
    const auto before = std::find(seen.begin(), seen.end() - 1, seen.back());
    if (before != seen.end() - 1) {
      return Refuse("joined datasets: dataset " + std::to_string(i) + ", " + ToUri(parts[i]->prefix) +
                    ", is the same as dataset " + std::to_string(before - seen.begin()) +
                    "; to use its samples more often, give it a larger weight");
    }
    sizes.push_back(parts[i]->objects.size());
    for (std::size_t index = 0; index < sizes.back(); ++index) {
      view.places.push_back({static_cast<std::uint32_t>(i), index});
    }
  }
  auto settings = SettingsOf(std::move(view), NameOf(parts));
  settings.parts = std::move(sizes);
  return settings;
}

Result<DatasetCore::Settings> SelectedSettings(const SharedSettings& of, std::span<const std::size_t> indices) {
  View view{.parts = {of}};
  view.places.reserve(indices.size());
  for (const std::size_t index : indices) {
    if (index >= of->objects.size()) {
      return Refuse("selected samples: index " + std::to_string(index) + " of a dataset of " +
                    std::to_string(of->objects.size()) + " samples");
    }
    view.places.push_back({0, index});
  }
  return SettingsOf(std::move(view), of->prefix);
}

}  // namespace gcsflux::internal
