#include "transfer/composition/take_group.h"

#include <algorithm>

namespace gcsflux::internal {
namespace {

// A source without a generation could change between its listing and the compose.
bool IsComposable(const DownloadSource& source, const GroupLimits& limits) {
  return source.generation != 0 && !source.offset && source.size <= limits.max_bytes &&
         MayBeCopiedUnder(limits.kms_key_name, source.kms_key_name);
}

// A listing's key has its version, and a chosen one need not: ".../cryptoKeys/KEY/cryptoKeyVersions/1".
std::string_view WithoutVersion(std::string_view key) { return key.substr(0, key.find("/cryptoKeyVersions/")); }

}  // namespace

bool MayBeCopiedUnder(std::string_view chosen, InternedName own) {
  return own.empty() || (!chosen.empty() && WithoutVersion(own.name()) == WithoutVersion(chosen));
}

std::size_t TakeGroup(std::span<const DownloadSource> sources, const GroupLimits& limits) {
  const std::size_t most = std::min({sources.size(), limits.max_sources, kMaxComposeSources});
  if (most < 2 || !IsComposable(sources[0], limits)) return std::min<std::size_t>(1, sources.size());
  std::size_t count = 1;
  std::uint64_t bytes = sources[0].size;
  while (count < most && IsComposable(sources[count], limits) &&
         sources[count].object.bucket == sources[0].object.bucket && sources[count].size <= limits.max_bytes - bytes) {
    bytes += sources[count].size;
    ++count;
  }
  return count;
}

}  // namespace gcsflux::internal
