#include <exception>
#include <string>

#include "dataset/fingerprint.h"
#include "dataset/mix.h"
#include "gcsflux/dataset.h"

namespace gcsflux {
namespace {

Error RefuseSelection(const std::string& why) { return {ErrorCode::kInvalidArgument, "Selection: " + why}; }

// A number in [0, 1) of the name alone: other objects do not change it.
double PlaceOf(const std::string& name, std::uint64_t seed) {
  return static_cast<double>(internal::HashOfName(name, internal::Mix(seed)) >> 11) * 0x1p-53;
}

}  // namespace

Result<std::vector<std::size_t>> SelectObjects(std::span<const ListedObject> objects, const Selection& selection) try {
  // Not a number is refused too.
  if (!(selection.from >= 0 && selection.from <= selection.to && selection.to <= 1)) {
    return RefuseSelection("`from` is " + std::to_string(selection.from) + " and `to` is " +
                           std::to_string(selection.to) + ", and 0 <= from <= to <= 1");
  }
  const bool is_share = selection.from > 0 || selection.to < 1;
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (is_share) {
      const double place = PlaceOf(objects[i].name, selection.seed);
      if (place < selection.from || (place >= selection.to && selection.to < 1)) continue;
    }
    if (!selection.predicate || selection.predicate(objects[i])) selected.push_back(i);
  }
  return selected;
} catch (const std::exception& thrown) {
  return RefuseSelection(std::string("the predicate threw: ") + thrown.what());
} catch (...) {
  return RefuseSelection("the predicate threw something");
}

std::vector<ListedObject> ListedObjects(std::span<const ObjectMetadata> objects) {
  std::vector<ListedObject> listed;
  listed.reserve(objects.size());
  for (const ObjectMetadata& o : objects) {
    listed.push_back({.name = o.name,
                      .size = o.size,
                      .generation = o.generation,
                      .crc32c = o.crc32c,
                      .storage_class = InternedName(o.storage_class),
                      .updated = o.updated,
                      .kms_key_name = InternedName(o.kms_key_name)});
  }
  return listed;
}

}  // namespace gcsflux
