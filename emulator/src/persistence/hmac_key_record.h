#pragma once

#include "identity/hmac_keys.h"
#include "store/log/change_log.h"
#include "store/log/record.h"

namespace gcsflux::emulator {

template <class Archive, Of<HmacKey> Key>
void Describe(Archive& archive, Key& key) {
  archive(key.access_id, key.secret, key.project, key.service_account, key.state, key.created, key.updated,
          key.changes);
}

/// Writes keys to the log. It may be null, and must outlive them.
[[nodiscard]] inline HmacKeyRecords RecordsIn(ChangeLog* log) {
  if (log == nullptr) return {};
  return {
      .put =
          [log](const HmacKey& key) {
            return log->Commit({PutRecord(RecordKind::kHmacKey, {.key = key.access_id, .fields = WriteRecord(key)})});
          },
      .clear = [log] { return log->Commit({ErasePrefix(RecordKind::kHmacKey, "")}); }};
}

}  // namespace gcsflux::emulator
