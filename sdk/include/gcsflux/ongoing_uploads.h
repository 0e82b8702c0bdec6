#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux {

/// An XML multipart upload that is neither completed nor aborted. Its parts cost storage until it is.
struct OngoingUpload {
  ObjectName object = {};
  std::string upload_id = {};
  std::chrono::system_clock::time_point initiated = {};
};

struct OngoingUploadOptions {
  CallOptions call = {};
  std::stop_token stop = {};
};

/// All ongoing multipart uploads of a bucket whose objects' names begin with `prefix.name`, by name. It needs
/// storage.multipartUploads.list. kBadResponse where the service's pages do not get any further.
Result<std::vector<OngoingUpload>> ListMultipartUploads(const Client& client, const ObjectName& prefix,
                                                        const OngoingUploadOptions& options = {});

/// Aborts an upload of any process: its parts are gone, and a writer that still uses it fails with kSessionLost. It
/// succeeds where the upload is already gone.
Result<void> AbortMultipartUpload(const Client& client, const OngoingUpload& upload,
                                  const OngoingUploadOptions& options = {});

}  // namespace gcsflux
