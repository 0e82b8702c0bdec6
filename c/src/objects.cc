// Metadata, deletion and listings.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "client.h"
#include "error.h"

using gcsflux::ErrorCode;
using gcsflux::ObjectName;
using gcsflux::Result;
using gcsflux::c::Call;

namespace {

std::int64_t Milliseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

const std::string& TextOf(const std::string& text) { return text; }
const std::string& TextOf(const gcsflux::InternedName& text) { return text.name(); }

// Its texts are those of `object`, a ListedObject or ObjectMetadata.
template <class Object>
gcsflux_object Borrow(const Object& object) {
  return {.name = object.name.c_str(),
          .size = object.size,
          .generation = object.generation,
          .updated_ms = Milliseconds(object.updated),
          .storage_class = TextOf(object.storage_class).c_str(),
          .crc32c = object.crc32c.value_or(0),
          .has_crc32c = object.crc32c ? 1 : 0};
}

struct OwnedObject : gcsflux_object {
  gcsflux::ObjectMetadata metadata;
};

gcsflux_object* Own(gcsflux::ObjectMetadata&& metadata) {
  auto* const owned = new OwnedObject{{}, std::move(metadata)};
  static_cast<gcsflux_object&>(*owned) = Borrow(owned->metadata);
  return owned;
}

gcsflux_object DirectoryOf(const std::string& name) {
  gcsflux_object directory{};
  directory.name = name.c_str();
  directory.storage_class = "";
  return directory;
}

Result<void> Give(gcsflux_on_objects on_objects, void* context, const std::vector<gcsflux_object>& objects) {
  if (objects.empty() || on_objects(context, objects.data(), objects.size()) == 0) return {};
  return gcsflux::Error{ErrorCode::kCancelled, "the callback ended the listing"};
}

// Objects and directories in one order, as they were listed.
std::vector<gcsflux_object> Level(const gcsflux::ObjectListing& listing) {
  std::vector<gcsflux_object> all;
  for (const auto& object : listing.objects) all.push_back(Borrow(object));
  for (const auto& prefix : listing.prefixes) all.push_back(DirectoryOf(prefix));
  std::ranges::sort(all, {}, [](const gcsflux_object& object) { return std::string_view(object.name); });
  return all;
}

}  // namespace

gcsflux_error* gcsflux_stat(const gcsflux_client* client, const char* uri, int64_t generation, gcsflux_stop* stop,
                            gcsflux_object** object) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::c::ObjectOf(uri);
    if (!name) return name.error();
    auto found = client->client.GetObject(
        *name, {.generation = gcsflux::c::GenerationOf(generation), .stop = gcsflux::c::TokenOf(stop)});
    if (!found) return found.error();
    *object = Own(*std::move(found));
    return {};
  });
}

void gcsflux_object_free(gcsflux_object* object) { delete static_cast<OwnedObject*>(object); }

gcsflux_error* gcsflux_delete(const gcsflux_client* client, const char* uri, int64_t generation, gcsflux_stop* stop) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::c::ObjectOf(uri);
    if (!name) return name.error();
    return client->client.DeleteObject(
        *name, {.generation = gcsflux::c::GenerationOf(generation), .stop = gcsflux::c::TokenOf(stop)});
  });
}

gcsflux_error* gcsflux_list(const gcsflux_client* client, const char* prefix, gcsflux_on_objects on_objects,
                            void* context, gcsflux_stop* stop) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::ParseUri(prefix);
    if (!name) return name.error();
    auto options = client->settings.lists;
    options.stop = gcsflux::c::TokenOf(stop);
    const auto give = [&](const std::vector<gcsflux::ListedObject>& listed) {
      std::vector<gcsflux_object> objects(listed.size());
      std::ranges::transform(listed, objects.begin(), [](const auto& object) { return Borrow(object); });
      return Give(on_objects, context, objects);
    };
    const auto done = gcsflux::ListInParallel(client->client, *name, gcsflux::DeliveryOrder::kInOrder, give, options);
    return done ? Result<void>() : done.error();
  });
}

gcsflux_error* gcsflux_list_directory(const gcsflux_client* client, const char* prefix, gcsflux_on_objects on_objects,
                                      void* context, gcsflux_stop* stop) {
  return Call([&]() -> Result<void> {
    const auto name = gcsflux::ParseUri(prefix);
    if (!name) return name.error();
    const auto listing =
        gcsflux::ListPrefix(client->client, *name, {.delimiter = "/", .stop = gcsflux::c::TokenOf(stop)});
    return listing ? Give(on_objects, context, Level(*listing)) : listing.error();
  });
}
