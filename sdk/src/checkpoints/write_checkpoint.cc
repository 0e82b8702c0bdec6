#include "checkpoints/write_checkpoint.h"

#include <memory>
#include <utility>

#include "base/call_user_code.h"
#include "checkpoints/step_names.h"
#include "transfer/file/partial_file.h"

namespace gcsflux {
namespace {

// An exception becomes an error, so that what was written before it is removed.
Result<void> Call(const CheckpointWriter& write, const ByteSink& sink) {
  return internal::CallUserCode("checkpoint writer", [&] { return write(sink); });
}

Result<ObjectMetadata> WriteObject(const Client& client, const ObjectName& object, const CheckpointWriter& write,
                                   const UploadOptions& options) {
  ObjectWriter writer(client, object, options);
  const auto written = Call(write, [&writer](std::span<const std::byte> bytes) { return writer.Write(bytes); });
  if (written) return writer.Close();
  writer.Cancel();
  return written.error();
}

Result<void> WriteAside(internal::PartialFile& file, const CheckpointWriter& write, bool may_replace,
                        std::uint64_t& size) {
  if (auto cleared = file.Clear(0); !cleared) return cleared;
  auto written = Call(write, [&](std::span<const std::byte> bytes) -> Result<void> {
    if (auto put = file.Write(size, bytes); !put) return put;
    size += bytes.size();
    return {};
  });
  if (!written) return written;
  return file.Commit({.size = size, .may_replace = may_replace, .is_durable = true});
}

Result<ObjectMetadata> WriteFile(const std::string& path, const CheckpointWriter& write, WriteMode mode) {
  if (mode == WriteMode::kReplace) {
    return Error{ErrorCode::kInvalidArgument, "'" + path + "' is a local file, which has no generation to replace"};
  }
  const bool may_replace = mode == WriteMode::kOverwrite;
  if (!may_replace) {
    if (auto is_free = internal::CheckFree(path); !is_free) return is_free.error();
  }
  const auto file = internal::PartialFile::Open(path);
  if (!file) return file.error();
  ObjectMetadata metadata{.name = path};
  const auto done = WriteAside(**file, write, may_replace, metadata.size);
  if (done) return metadata;
  (*file)->Discard();
  return done.error();
}

}  // namespace

Result<ObjectMetadata> WriteCheckpoint(const Client& client, const std::string& uri, const CheckpointWriter& write,
                                       const UploadOptions& options) {
  if (!internal::IsObjectUri(uri)) return WriteFile(uri, write, options.mode);
  const auto object = ParseUri(uri);
  if (!object) return object.error();
  return WriteObject(client, *object, write, options);
}

}  // namespace gcsflux
