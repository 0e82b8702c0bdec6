#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/message.h"
#include "gcsflux/checkpoints/step_writer.h"
#include "gcsflux/checkpoints/tensor_part.h"

namespace gcsflux::internal {

/// What each rank tells rank 0 before a save. All ranks must say the same of everything but the host and the parts.
struct AnnouncedSave {
  std::string host = {};
  std::string uri = {};  ///< The run's prefix.
  std::int64_t step = 0;
  CommitMode mode = CommitMode::kCreate;
};

/// The form of these messages. Ranks of another version are refused.
inline constexpr std::uint64_t kAnnouncementVersion = 2;

/// In place of the version: a rank that cannot save says why.
inline constexpr std::uint64_t kRefusal = 0;
std::string FormatRefusal(const std::string& host, const Error& why);

/// As bytes: the head, the number of parts, and the parts.
std::string FormatAnnouncement(const AnnouncedSave& save, std::span<const TensorPart> parts);

/// The version, which may be another one, and the fields before the parts.
struct AnnouncementHead {
  std::uint64_t version = 0;
  AnnouncedSave save = {};
  Error refusal = {};  ///< With kRefusal, and of `save` the host alone.
};
AnnouncementHead TakeHead(MessageReader& reader);

}  // namespace gcsflux::internal
