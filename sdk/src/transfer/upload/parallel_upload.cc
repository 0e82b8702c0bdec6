#include <algorithm>
#include <vector>

#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "client/client_core.h"
#include "gcsflux/multipart_upload.h"
#include "transfer/threads/worker_pool.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kLeastPart = 5U << 20;
constexpr std::uint64_t kMostParts = 10'000;

// The parts of an object, all of one size; the last one has the rest. An empty object is one empty part.
struct Plan {
  std::uint64_t part_bytes = 0;
  std::size_t count = 0;
};

Plan PlanParts(std::uint64_t size, std::size_t part_bytes) {
  const std::uint64_t needed = (size + kMostParts - 1) / kMostParts;
  const std::uint64_t bytes = std::max({std::uint64_t{part_bytes}, kLeastPart, needed});
  return {bytes, static_cast<std::size_t>(std::max<std::uint64_t>(1, (size + bytes - 1) / bytes))};
}

Result<ObjectMetadata> UploadParts(const Client& client, const ObjectName& object, const internal::UploadSource& source,
                                   const ParallelUploadOptions& options) {
  if (options.max_concurrency < 1 || options.max_concurrency > kMaxConcurrency) {
    return Error{ErrorCode::kInvalidArgument, "ParallelUploadOptions::max_concurrency must be from 1 to 10000"};
  }
  const Plan plan = PlanParts(source.size(), options.part_bytes);
  auto upload = MultipartUpload::Start(client, object, options.multipart);
  if (!upload) return upload.error();
  internal::WorkerPool pool(std::min(plan.count, static_cast<std::size_t>(options.max_concurrency)),
                            &CoreOf(client).observer());
  const auto send = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
    const std::uint64_t offset = index * plan.part_bytes;
    const auto count = static_cast<std::size_t>(std::min(plan.part_bytes, source.size() - offset));
    std::vector<std::byte> room;
    const auto data = source.Read(offset, count, room);
    if (!data) return data.error();
    return upload->UploadPart(static_cast<int>(index) + 1, *data, stop);
  };
  auto sent = pool.Run(plan.count, send, options.multipart.stop);
  if (sent) sent = source.CheckUnchanged();
  if (!sent) return sent.error();
  return upload->Complete();
}

}  // namespace

Result<ObjectMetadata> UploadObjectInParallel(const Client& client, const ObjectName& object,
                                              std::span<const std::byte> data, const ParallelUploadOptions& options) {
  if (auto checked = internal::CheckBytes(object, data); !checked) return checked.error();
  const auto upload = [&] {
    const auto source = internal::MemorySource(data);
    return UploadParts(client, object, *source, options);
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

Result<ObjectMetadata> UploadFileInParallel(const Client& client, const std::string& path, const ObjectName& object,
                                            const ParallelUploadOptions& options) {
  const auto upload = [&]() -> Result<ObjectMetadata> {
    const auto source = internal::FileSource(path);
    if (!source) return source.error();
    return UploadParts(client, object, **source, options);
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

}  // namespace gcsflux
