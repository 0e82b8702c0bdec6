#include "transfer/upload/live_uploads.h"

#include <memory>
#include <utility>

#include "base/process/per_process.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::internal {
namespace {

// Only the writer knows the upload's identifier, and it may be at work. So the service is asked by the name.
void DropUpload(const Client& client, const ObjectName& target, bool is_temporary, const std::stop_token& stop) {
  if (const auto uploads = ListMultipartUploads(client, target, {.stop = stop})) {
    for (const OngoingUpload& upload : *uploads) {
      if (upload.object == target) static_cast<void>(AbortMultipartUpload(client, upload, {.stop = stop}));
    }
  }
  if (is_temporary) static_cast<void>(client.DeleteObject(target, {.stop = stop}));
}

}  // namespace

LiveUploads& LiveUploads::OfProcess() {
  // Leaked, as LiveComposites are.
  static auto* const live =
      new PerProcess<LiveUploads>([](const LiveUploads*) { return std::make_unique<LiveUploads>(); });
  return live->Get();
}

Result<void> LiveUploads::Add(const Client& client, const ObjectName& target, bool is_temporary) {
  const MutexLock lock(mutex_);
  if (is_closed_) return Error{ErrorCode::kCancelled, "the process is ending: no upload is begun"};
  entries_.insert_or_assign(target, Entry{client, is_temporary});
  return {};
}

void LiveUploads::Remove(const ObjectName& target) {
  decltype(entries_)::node_type removed;  // The client may be the last one: it ends outside of the lock.
  {
    const MutexLock lock(mutex_);
    removed = entries_.extract(target);
  }
}

void LiveUploads::DropAll(const std::stop_token& stop) {
  decltype(entries_) all;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    all = entries_;
  }
  for (const auto& [target, entry] : all) DropUpload(entry.client, target, entry.is_temporary, stop);
}

}  // namespace gcsflux::internal
