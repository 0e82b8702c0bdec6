#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time_source.h"
#include "store/log/record.h"
#include "store/objects/object_record.h"
#include "store/uploads/pending_object.h"

namespace gcsflux::emulator {

template <class Archive, Of<Preconditions> Conditions>
void Describe(Archive& archive, Conditions& conditions) {
  archive(conditions.if_generation_match, conditions.if_generation_not_match, conditions.if_metageneration_match,
          conditions.if_metageneration_not_match);
}

template <class Archive, Of<ExpectedHashes> Hashes>
void Describe(Archive& archive, Hashes& hashes) {
  archive(hashes.crc32c, hashes.md5);
}

/// A resumable session, without its bytes. Its key is its id.
struct SessionRecord {
  Time started = {};
  std::uint64_t bucket = 0;    ///< The bucket's number.
  PendingObject pending = {};  ///< Without its bucket.
  std::optional<std::uint64_t> announced_size = {};
  std::optional<std::string> answer = {};  ///< Once complete.
};

/// All but the bucket, which the session's record names by its number.
template <class Archive, Of<PendingObject> Pending>
void Describe(Archive& archive, Pending& pending) {
  archive(pending.name, pending.attributes, pending.hashes, pending.preconditions, pending.encryption,
          pending.may_replace);
}

template <class Archive, Of<SessionRecord> Session>
void Describe(Archive& archive, Session& session) {
  archive(session.started, session.bucket, session.pending, session.announced_size, session.answer);
}

/// Bytes of a session. Their key is its id and their offset.
struct SessionBytesRecord {
  std::uint32_t crc32c = 0;
};

template <class Archive, Of<SessionBytesRecord> Bytes>
void Describe(Archive& archive, Bytes& bytes) {
  archive(bytes.crc32c);
}

}  // namespace gcsflux::emulator
