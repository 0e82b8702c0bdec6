#include "transfer/upload/staging.h"

#include <utility>

#include "base/composite_name.h"
#include "base/composite_prefix.h"
#include "base/process/run_with_time_limit.h"

namespace gcsflux::internal {

ObjectName NewStagingName(const ClientCore& core, const std::string& bucket) {
  std::string name(kUploadPrefix);
  name += FormatRun(core.timing().SystemNow(), core.NewInvocationId());
  name += '/';
  name += core.NewInvocationId();
  return {bucket, std::move(name)};
}

MultipartOptions StagingOptions(const UploadOptions& options, std::stop_token stop) {
  MultipartOptions staging{.encryption_key = options.encryption_key,
                           .kms_key_name = options.kms_key_name,
                           .call = options.call,
                           .stop = std::move(stop)};
  staging.attributes.storage_class = options.attributes.storage_class;
  return staging;
}

Result<Committed> CommitStaged(const ClientCore& core, const StagedObject& staged, const UploadOptions& options) {
  auto stored = CommitByCompose(core, staged, options, /*deletes_temporary=*/true);
  const bool is_refused = !stored && stored.error().code == ErrorCode::kPermissionDenied &&
                          stored.error().outcome == WriteOutcome::kNotStored;
  if (is_refused) stored = CommitByCompose(core, staged, options, /*deletes_temporary=*/false);
  if (!stored) return stored.error();
  return Committed{*std::move(stored), is_refused};
}

bool DeleteStaged(const Client& client, const ObjectName& temporary, std::optional<std::int64_t> generation,
                  const CallOptions& call) {
  bool is_gone = false;
  RunWithTimeLimit([&](std::stop_token stop) {
    const auto removed =
        client.DeleteObject(temporary, {.generation = generation, .call = call, .stop = std::move(stop)});
    is_gone = removed || removed.error().code == ErrorCode::kNotFound;
  });
  return is_gone;
}

}  // namespace gcsflux::internal
