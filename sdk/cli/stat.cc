#include <iostream>

#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/output.h"

namespace gcsflux::cli {
namespace {

Result<void> Stat(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ObjectsOf(client, uris);
  if (!names) return names.error();
  for (const ObjectName& name : *names) {
    const auto object = client.GetObject(name, {.with_md5_hash = true});
    if (!object) return object.error();
    std::cout << Shown(ToUri(name)) << "\n  size:            " << object->size
              << "\n  generation:      " << object->generation << "\n  metageneration:  " << object->metageneration
              << "\n  content type:    " << Shown(object->content_type);
    if (!object->content_encoding.empty()) std::cout << "\n  encoding:        " << Shown(object->content_encoding);
    std::cout << "\n  storage class:   " << Shown(object->storage_class)
              << "\n  created:         " << Iso8601(object->time_created)
              << "\n  updated:         " << Iso8601(object->updated);
    if (!object->cache_control.empty()) std::cout << "\n  cache control:   " << Shown(object->cache_control);
    if (object->crc32c) std::cout << "\n  crc32c:          " << Hex(*object->crc32c);
    if (!object->md5_hash.empty()) std::cout << "\n  md5 (base64):    " << Shown(object->md5_hash);
    std::cout << "\n  etag:            " << Shown(object->etag) << '\n';
    for (const auto& [key, value] : object->metadata) {
      std::cout << "  metadata." << Shown(key) << ": " << Shown(value) << '\n';
    }
  }
  return {};
}

}  // namespace

constinit const Command kStat = {
    .name = "stat",
    .arguments = "gs://BUCKET/OBJECT...",
    .summary = "Show what Cloud Storage knows about objects.",
    .run = Stat,
};

}  // namespace gcsflux::cli
