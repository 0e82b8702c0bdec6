#include "store_missing.h"

#include <atomic>
#include <future>
#include <set>
#include <utility>

#include "gcsflux/listing.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"

namespace examples {
namespace {

constexpr int kUploads = 16;  // At a time.

std::set<std::string> NamesUnder(const gcsflux::Client& client, const gcsflux::ObjectName& folder) {
  std::set<std::string> names;
  for (auto& object : gcsflux::ValueOrThrow(gcsflux::ListPrefix(client, folder)).objects) {
    names.insert(std::move(object.name));
  }
  return names;
}

}  // namespace

std::size_t StoreMissing(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                         std::vector<MissingObject> objects) {
  const std::set<std::string> present = NamesUnder(client, folder);
  std::erase_if(objects, [&](const MissingObject& object) { return present.contains(folder.name + object.name); });
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto upload_what_is_next = [&] {
    for (std::size_t i = next++; i < objects.size() && !has_failed; i = next++) {
      const MissingObject& object = objects[i];
      const auto bytes = object.bytes();
      const auto stored = gcsflux::UploadObject(client, {folder.bucket, folder.name + object.name}, bytes,
                                                {.attributes = {.content_type = object.content_type}});
      if (stored.ok()) continue;
      has_failed = true;
      throw gcsflux::StorageError(stored.error());
    }
  };
  std::vector<std::future<void>> uploads;
  for (int i = 0; i < kUploads; ++i) uploads.push_back(std::async(std::launch::async, upload_what_is_next));
  for (auto& upload : uploads) upload.wait();
  for (auto& upload : uploads) upload.get();  // Throws what the upload threw.
  return objects.size();
}

}  // namespace examples
