#include "cli/copy/upload_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/copy/suspended_upload.h"

namespace gcsflux::cli {
namespace {

// One request needs no state.
bool NeedsState(const std::string& path, const UploadOptions& options) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  return !unknown && bytes > std::min<std::uint64_t>(options.chunk_bytes, kLeastParallelUpload);
}

}  // namespace

Result<std::uint64_t> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                      const UploadOptions& writing) {
  UploadOptions options = writing;
  std::unique_ptr<SuspendedUpload> suspended;
  if (NeedsState(path, writing)) suspended = SuspendedUpload::Open(UploadStateName(client, path, object, writing));
  if (suspended) {
    options.state = suspended->Load();
    // If it cannot be saved, the next run starts again.
    options.save_state = [&](const std::string& state) { static_cast<void>(suspended->Save(state)); };
  }
  const auto stored = UploadFile(client, path, object, options);
  if (!stored) return stored.error();
  return stored->kept_bytes;
}

}  // namespace gcsflux::cli
