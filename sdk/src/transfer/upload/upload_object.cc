#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "gcsflux/upload.h"
#include "transfer/upload/rewindable_upload.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux {

Result<ObjectMetadata> UploadObject(const Client& client, const ObjectName& object, std::span<const std::byte> data,
                                    const UploadOptions& options) {
  if (auto checked = internal::CheckBytes(object, data); !checked) return checked.error();
  const auto upload = [&] {
    const auto source = internal::MemorySource(data);
    return internal::UploadRewindable(CoreOf(client), object, *source, options);
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

Result<ObjectMetadata> UploadFile(const Client& client, const std::string& path, const ObjectName& object,
                                  const UploadOptions& options) {
  const auto upload = [&]() -> Result<ObjectMetadata> {
    const auto source = internal::FileSource(path);
    if (!source) return source.error();
    return internal::UploadRewindable(CoreOf(client), object, **source, options);
  };
  return internal::ExceptionsAsErrors(upload, WriteOutcome::kUnknown);
}

}  // namespace gcsflux
