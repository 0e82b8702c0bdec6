#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "gcsflux/client.h"
#include "transfer/threads/run_on_threads.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {

struct PartsOptions {
  MultipartOptions multipart = {};
  std::size_t part_bytes = std::size_t{5} << 20;
  int max_concurrency = 4;
};

/// Sends `data` in parallel parts, and joins them.
inline Result<ObjectMetadata> UploadInParts(const Client& client, const ObjectName& object,
                                            std::span<const std::byte> data, const PartsOptions& options = {}) {
  auto upload = MultipartUpload::Start(client, object, options.multipart);
  if (!upload) return upload.error();
  const std::size_t parts = std::max<std::size_t>(1, (data.size() + options.part_bytes - 1) / options.part_bytes);
  const auto send = [&](std::size_t index, const std::stop_token& stop) {
    const auto rest = data.subspan(index * options.part_bytes);
    return upload->UploadPart(static_cast<int>(index) + 1, rest.first(std::min(rest.size(), options.part_bytes)), stop);
  };
  if (auto sent = internal::RunOnThreads(client, parts, options.max_concurrency, send, options.multipart.stop); !sent)
    return sent.error();
  return upload->Complete();
}

}  // namespace gcsflux::testing
