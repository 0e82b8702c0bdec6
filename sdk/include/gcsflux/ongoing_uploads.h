#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux {

/// An XML multipart upload that was neither completed nor aborted. Its parts cost storage.
struct OngoingUpload {
  ObjectName object = {};
  std::string upload_id = {};
  std::chrono::system_clock::time_point initiated = {};
};

struct OngoingUploadOptions {
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Lists the ongoing multipart uploads of a bucket whose object names begin with `prefix.name`, by name. Needs the
/// permission storage.multipartUploads.list. Returns kBadResponse for a repeated page, or a name outside of the prefix.
Result<std::vector<OngoingUpload>> ListMultipartUploads(const Client& client, const ObjectName& prefix,
                                                        const OngoingUploadOptions& options = {});

/// Aborts an upload of any process and deletes its parts. A writer that still uses the upload fails with kSessionLost.
/// If the upload is already gone, it succeeds.
Result<void> AbortMultipartUpload(const Client& client, const OngoingUpload& upload,
                                  const OngoingUploadOptions& options = {});

}  // namespace gcsflux
