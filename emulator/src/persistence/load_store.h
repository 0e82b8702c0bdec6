#pragma once

#include <cstdint>
#include <string>

#include "identity/hmac_keys.h"
#include "persistence/body_files.h"
#include "persistence/database.h"
#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {

/// What a start found in a data directory.
struct LoadReport {
  bool is_after_crash = false;        ///< The process before did not end in order.
  std::uint64_t dropped_records = 0;  ///< Of uploads that were over, of buckets that were deleted.
  std::uint64_t dropped_bytes = 0;    ///< Space of bytes that no record names: of requests that were not answered.
  std::uint64_t damaged_bodies = 0;   ///< Bodies of which bytes are missing.
};

/// One line of text for a person. Empty if there is nothing to say.
[[nodiscard]] std::string RenderReport(const LoadReport& report);

/// Fills an empty store, sessions and keys with what is recorded. What is left over is erased. Throws
/// std::runtime_error if a record is damaged: then nothing is erased.
LoadReport LoadStore(Database& database, BodyFiles& files, Store& store, ResumableSessions& sessions, HmacKeys& keys);

}  // namespace gcsflux::emulator
