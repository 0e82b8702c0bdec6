#include "campaign/extra_objects.h"

#include "crash/crash_case.h"
#include "gcsflux/listing.h"

namespace gcsflux::campaign {

void RemoveAll(const Client& client, const ObjectName& prefix) {
  const auto list = [&] { return ListPrefix(client, prefix); };
  for (auto left = crash::Surely(list).objects; !left.empty(); left = crash::Surely(list).objects) {
    for (const auto& object : left) {
      crash::Surely([&]() -> Result<void> {
        auto deleted = client.DeleteObject({prefix.bucket, object.name}, {.generation = object.generation});
        if (!deleted && deleted.error().code == ErrorCode::kNotFound) return {};
        return deleted;
      });
    }
  }
}

}  // namespace gcsflux::campaign
