#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/message.h"
#include "checkpoints/manifest.h"
#include "sharding/sharded_checkpoints.h"

namespace gcsflux::internal {

/// What each rank tells rank 0 before a save. Everything but the host and the parts must be the same on all ranks.
struct AnnouncedSave {
  std::string host = {};
  std::string uri = {};  ///< The run's prefix.
  std::int64_t step = 0;
  CommitMode mode = CommitMode::kCreate;
};

/// The form of these messages. Ranks of another version are refused.
inline constexpr std::uint64_t kAnnouncementVersion = 2;

/// A rank that cannot save sends this instead of the version, and then the reason.
inline constexpr std::uint64_t kRefusal = 0;
std::string FormatRefusal(const std::string& host, const Error& why);

/// Returns the head, the number of parts and the parts, as bytes.
std::string FormatAnnouncement(const AnnouncedSave& save, std::span<const TensorPart> parts);

/// The version, which may be another one, and the fields before the parts.
struct AnnouncementHead {
  std::uint64_t version = 0;
  AnnouncedSave save = {};
  Error refusal = {};  ///< Set with kRefusal; then only the host of `save` is set.
};
AnnouncementHead TakeHead(MessageReader& reader);

}  // namespace gcsflux::internal
