#pragma once

#include <optional>
#include <string>

#include "client/client_core.h"
#include "client/stored_object.h"
#include "gcsflux/upload.h"
#include "transfer/upload/write_outcome.h"

namespace gcsflux::internal {

/// Whether `found` has these bytes and these attributes (without a given storage class, the bucket's counts). If
/// another writer stored an identical object, that does no harm.
bool HasBytes(const ObjectMetadata& found, const SentObject& sent);
bool HasAttributes(const ObjectMetadata& found, const ObjectAttributes& attributes);

/// A write that may have been stored.
struct OpenWrite {
  const ObjectName& object;
  const InsertObjectOptions& insert;
  SentObject sent = {};
  Timing::TimePoint first_attempt = {};  ///< Nothing can have been stored before it.
  bool checks_attributes = true;         ///< The object must have the attributes of `insert`.
  WriteGuard guard = {};
};

/// The result of a look at the live object of the name.
struct ReadBackResult {
  WriteStep step = {};
  std::optional<ObjectMetadata> live = {};
};

/// Reads the live object of the written name. One attempt of an upload.
Result<ReadBackResult> ReadBack(const ClientCore& core, const OpenWrite& write, const std::string& id,
                                Attempts& attempts);

/// The error of a write after a look with the step kUnknown.
Error OutcomeUnknown(const ReadBackResult& look);

}  // namespace gcsflux::internal
