#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/client_core.h"
#include "client/stored_object.h"
#include "gcsflux/upload.h"
#include "transfer/upload/write_outcome.h"

namespace gcsflux::internal {

/// The request that makes an object visible, under the precondition of a WriteMode. If an answer is lost, the object is
/// read back before anything is sent again, and a pure function (write_outcome.h) decides. For one thread at a time.
class GuardedCommit {
 public:
  /// Sends the request with this precondition, and checks the answer.
  using Send = std::function<Result<ObjectMetadata>(const Preconditions&, const std::string& id, Attempts&)>;

  /// If `consumes_source`, the request deletes what it is made of: kNotFound can mean that an earlier attempt was
  /// stored. The references must outlive it.
  GuardedCommit(const ClientCore& core, const ObjectName& object, SentObject sent, const UploadOptions& options,
                bool consumes_source);

  /// One attempt of the call.
  Result<ObjectMetadata> Attempt(Attempts& attempts, const Send& send);

 private:
  Result<std::optional<ObjectMetadata>> FindStored(Attempts& attempts, bool can_repeat);

  const ClientCore& core_;
  const ObjectName& object_;
  const SentObject sent_;
  const bool consumes_source_;
  InsertObjectOptions insert_;
  WriteGuard guard_;
  const std::string id_;
  std::optional<Timing::TimePoint> first_attempt_;  // Nothing can have been stored before it.
};

}  // namespace gcsflux::internal
