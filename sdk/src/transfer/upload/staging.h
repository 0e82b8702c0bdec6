#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "client/client_core.h"
#include "gcsflux/upload.h"
#include "transfer/upload/compose_commit.h"
#include "transfer/upload/multipart_upload.h"

// The temporary object whose parts are sent at the same time, before one compose makes it visible.
namespace gcsflux::internal {

/// "gcsflux-uploads/RUN/UUID", which no other writer uses.
ObjectName NewStagingName(const ClientCore& core, const std::string& bucket);

/// The options of its multipart upload. The compose sets the attributes, except the storage class.
MultipartOptions StagingOptions(const UploadOptions& options, std::stop_token stop);

/// The error of joining the parts. Whatever became of the temporary object, nothing is stored under the object's name.
inline Error OfStaging(Error error) {
  error.outcome = WriteOutcome::kNotStored;
  return error;
}

struct Committed {
  ObjectMetadata stored = {};
  bool has_left_temporary = false;
};

/// CommitByCompose(). If the service refuses the deletion of the temporary object (403), and nothing was stored,
/// commits without it: there may be a retention policy that could not be read, and the object matters more than a
/// temporary object that remains.
Result<Committed> CommitStaged(const ClientCore& core, const StagedObject& staged, const UploadOptions& options);

/// Deletes the temporary object: of this generation, or if that is not known, the live one. Takes 2 s at most. Returns
/// false if it may be left.
bool DeleteStaged(const Client& client, const ObjectName& temporary, std::optional<std::int64_t> generation,
                  const CallOptions& call);

}  // namespace gcsflux::internal
