#include "dataset/dataset_view.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/object_name.h"
#include "dataset/fingerprint.h"

namespace gcsflux::internal {
namespace {

// The samples of one dataset at these indices come next.
void AddSamples(DatasetView& view, const SharedSettings& of, std::span<const std::size_t> indices) {
  const auto first = static_cast<std::uint32_t>(view.parts.size());
  if (!of->view) {
    view.parts.push_back(of);
    for (const std::size_t index : indices) view.places.push_back({first, index});
    return;
  }
  view.parts.insert(view.parts.end(), of->view->parts.begin(), of->view->parts.end());
  for (const std::size_t index : indices) {
    const DatasetView::Place& shown = of->view->places[index];
    view.places.push_back({first + shown.part, shown.index});
  }
}

const DatasetCore::Settings& PartOf(const DatasetView& view, std::size_t sample) {
  return *view.parts[view.places[sample].part];
}

DownloadSource SourceIn(const DatasetCore::Settings& part, std::size_t index) {
  const ListedObject& listed = part.objects[index];
  if (part.source_of) return part.source_of(index, listed);
  return {{part.prefix.bucket, listed.name}, listed.size, listed.generation, listed.crc32c, listed.kms_key_name};
}

DatasetCore::Settings SettingsOf(DatasetView view, ObjectName prefix) {
  DatasetCore::Settings settings{.prefix = std::move(prefix)};
  settings.objects.reserve(view.places.size());
  for (const auto& place : view.places) settings.objects.push_back(view.parts[place.part]->objects[place.index]);
  const auto shared = std::make_shared<const DatasetView>(std::move(view));
  settings.view = shared;
  settings.source_of = [shared](std::size_t sample, const ListedObject&) {
    return SourceIn(PartOf(*shared, sample), shared->places[sample].index);
  };
  settings.work = {
      .make = shared->parts.front()->work.make,
      .decode =
          [shared](void* batch, std::size_t place, const ListedObject&, DownloadedObject& bytes,
                   const SampleContext& context) {
            const auto& part = PartOf(*shared, context.index);
            const std::size_t index = shared->places[context.index].index;
            return part.work.decode(batch, place, part.objects[index], bytes, context);
          },
      .is_instant = std::ranges::all_of(shared->parts, [](const auto& part) { return part->work.is_instant; })};
  return settings;
}

Error RefuseView(const std::string& why) { return {ErrorCode::kInvalidArgument, why}; }

// The first one's bucket and prefix, and behind it those of the others.
ObjectName NameOfAll(const std::vector<SharedSettings>& parts) {
  ObjectName name = parts.front()->prefix;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const ObjectName& other = parts[i]->prefix;
    name.name += " + " + (other.bucket == name.bucket ? other.name : ToUri(other));
  }
  return name;
}

}  // namespace

Result<DatasetCore::Settings> JoinedSettings(const std::vector<SharedSettings>& parts) {
  if (parts.empty()) return RefuseView("joined datasets: none is given");
  DatasetView view;
  std::vector<ListingFingerprint> seen;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    seen.push_back(FingerprintOf(parts[i]->prefix, parts[i]->objects));
    const auto before = std::find(seen.begin(), seen.end() - 1, seen.back());
    if (before != seen.end() - 1) {
      return RefuseView("joined datasets: dataset " + std::to_string(i) + ", " + ToUri(parts[i]->prefix) +
                        ", is the same as dataset " + std::to_string(before - seen.begin()) +
                        "; to use its samples more often, give it a larger weight");
    }
    sizes.push_back(parts[i]->objects.size());
    std::vector<std::size_t> all(sizes.back());
    std::iota(all.begin(), all.end(), std::size_t{0});
    AddSamples(view, parts[i], all);
  }
  auto settings = SettingsOf(std::move(view), NameOfAll(parts));
  settings.parts = std::move(sizes);
  return settings;
}

Result<DatasetCore::Settings> SelectedSettings(const SharedSettings& of, std::span<const std::size_t> indices) {
  for (const std::size_t index : indices) {
    if (index < of->objects.size()) continue;
    return RefuseView("selected samples: index " + std::to_string(index) + " of a dataset of " +
                      std::to_string(of->objects.size()) + " samples");
  }
  DatasetView view;
  AddSamples(view, of, indices);
  return SettingsOf(std::move(view), of->prefix);
}

}  // namespace gcsflux::internal
