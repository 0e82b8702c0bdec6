#pragma once

#include <optional>
#include <string>

#include "client/client_core.h"
#include "client/stored_object.h"
#include "gcsflux/upload.h"
#include "transfer/upload/write_outcome.h"

namespace gcsflux::internal {

/// Whether `found` holds these bytes, and was given these attributes (a storage class that none was given for is the
/// bucket's). A rival's identical object is no harm.
bool HasBytes(const ObjectMetadata& found, const SentObject& sent);
bool HasAttributes(const ObjectMetadata& found, const ObjectAttributes& attributes);

/// A write that may have been stored, for those that look.
struct OpenWrite {
  const ObjectName& object;
  const InsertObjectOptions& insert;
  SentObject sent = {};
  Timing::TimePoint first_attempt = {};  ///< Before it nothing can have been stored.
  bool checks_attributes = true;         ///< Those of `insert` are the object's.
  WriteGuard guard = {};
};

/// What a look at the live object of the name has told.
struct Look {
  WriteStep step = {};
  std::optional<ObjectMetadata> live = {};
};

/// Looks at the live object of the name that was written. One attempt of an upload's.
Result<Look> ReadBack(const ClientCore& core, const OpenWrite& write, const std::string& id, Attempts& attempts);

/// The error of a write after a look whose step is kUnknown.
Error OutcomeUnknown(const Look& look);

}  // namespace gcsflux::internal
