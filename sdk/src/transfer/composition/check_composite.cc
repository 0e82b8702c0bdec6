#include <cstdint>
#include <optional>

#include "base/crc32c.h"
#include "transfer/composition/composer.h"

namespace gcsflux::internal {
namespace {

// The CRC32C of all sources in order. Nothing if one of theirs is unknown.
std::optional<std::uint32_t> CombinedCrc32c(std::span<const DownloadSource> sources) {
  std::uint32_t combined = 0;
  for (const DownloadSource& source : sources) {
    if (!source.crc32c) return std::nullopt;
    combined = CombineCrc32c(combined, *source.crc32c, source.size);
  }
  return combined;
}

}  // namespace

Result<void> CheckComposite(const ObjectMetadata& composite, std::span<const DownloadSource> sources) {
  std::uint64_t bytes = 0;
  for (const DownloadSource& source : sources) bytes += source.size;
  const auto differs = [&](const std::string& what) {
    return Error{ErrorCode::kCorrupted, ToUri({composite.bucket, composite.name}) + ", composed of " +
                                            std::to_string(sources.size()) + " objects, has " + what +
                                            " than they have by their listing"};
  };
  if (composite.size != bytes) return differs("another size");
  const auto combined = CombinedCrc32c(sources);
  if (combined && composite.crc32c && *composite.crc32c != *combined) return differs("another CRC32C");
  return {};
}

}  // namespace gcsflux::internal
