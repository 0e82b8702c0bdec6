#pragma once

#include <functional>
#include <string>

#include "gcsflux/upload.h"
#include "loop/job_queue.h"

namespace gcsflux::internal {

struct PathChoice {
  WritePath path = WritePath::kOneStream;
  std::string reason = {};
};

/// Returns kInvalidArgument for sizes and numbers that cannot be.
Result<void> CheckWriterOptions(const UploadOptions& options);

/// How more than one part is stored. Under WritePath::kAuto it asks the service: two requests at the same time, as
/// `jobs`, and `meanwhile` beside them. A failure of those is a reason for one stream, not an error.
PathChoice ChoosePath(const Client& client, const std::string& bucket, const UploadOptions& options, JobQueue& jobs,
                      const std::function<void()>& meanwhile);

}  // namespace gcsflux::internal
