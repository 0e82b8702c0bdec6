#include "cli/copy/route.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/messages/local_error.h"
#include "cli/copy/compressed_upload.h"
#include "cli/copy/content_type.h"
#include "cli/copy/local_tree.h"
#include "cli/copy/rewrite.h"
#include "cli/copy/suspended_upload.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"

namespace gcsflux::cli {
namespace {

ObjectName ObjectAt(const Root& root, const TreeEntry& entry) { return {root.bucket, root.prefix + entry.name}; }

Result<void> DeleteGeneration(const Client& client, const ObjectName& object, std::int64_t generation,
                              const std::stop_token& stop) {
  auto deleted = client.DeleteObject(object, {.generation = generation, .stop = stop});
  if (!deleted && deleted.error().code == ErrorCode::kNotFound) return {};
  return deleted;
}

// With a state in the user's directory: the next run of the program continues an interrupted upload of the same file.
Result<UploadReport> UploadResumably(const Client& client, const std::string& path, const ObjectName& object,
                                     UploadOptions options, std::uint64_t bytes) {
  std::unique_ptr<SuspendedUpload> suspended;
  // One request needs no state.
  if (bytes > std::min<std::uint64_t>(options.chunk_bytes, kLeastParallelUpload)) {
    suspended = SuspendedUpload::Open(UploadStateName(client, path, object, options));
  }
  if (suspended) {
    options.state = suspended->Load();
    // If it cannot be saved, the next run starts again.
    options.save_state = [&](const std::string& state) { static_cast<void>(suspended->Save(state)); };
  }
  return UploadFile(client, path, object, options);
}

// As gsutil and gcloud do: without no-transform the service would decompress for clients that do not take gzip, and
// their bytes would not have the object's checksum.
void MarkCompressed(ObjectAttributes& attributes) {
  attributes.content_encoding = "gzip";
  std::string& control = attributes.cache_control;
  if (control.find("no-transform") == control.npos) control += control.empty() ? "no-transform" : ", no-transform";
}

}  // namespace

UploadOptions WritingOf(const RouteOptions& options, const std::string& file, const ObjectName& object) {
  UploadOptions writing = options.writing;
  std::string_view type = ContentTypeOf(object.name);
  if (type.empty()) type = ContentTypeOf(file);
  if (!type.empty()) writing.attributes.content_type = type;
  if (options.content_type) writing.attributes.content_type = *options.content_type;
  writing.attributes.cache_control = options.cache_control.value_or("");
  if (options.compressed.Takes(file)) MarkCompressed(writing.attributes);
  if (options.metadata) writing.attributes.metadata = *options.metadata;
  return writing;
}

Result<CopyOutcome> Route::Copy(const TreeEntry& source, const CopyCall& call) const {
  if (from_.is_local()) return Upload(source, call);
  return to_.is_local() ? Download(source, call) : CopyWithin(source, call);
}

Result<CopyOutcome> Route::Upload(const TreeEntry& source, const CopyCall& call) const {
  const std::string path = from_.PathOf(source.name);
  const ObjectName object = ObjectAt(to_, source);
  UploadOptions options = WritingOf(options_, path, object);
  options.on_progress = call.on_progress;
  options.stop = call.stop;
  options.max_concurrency = std::min(options.max_concurrency, call.connections);
  if (options_.compressed.Takes(path)) {
    const auto compressed = UploadCompressed(client_, path, object, options);
    if (!compressed) return compressed.error();
    return CopyOutcome{};
  }
  const auto stored = UploadResumably(client_, path, object, std::move(options), source.size);
  if (!stored) return stored.error();
  return CopyOutcome{.kept_bytes = stored->kept_bytes};
}

Result<CopyOutcome> Route::Download(const TreeEntry& source, const CopyCall& call) const {
  if (auto made = MakeDirectory(source); !made) return made.error();
  const DownloadSource object{ObjectAt(from_, source), source.size, source.generation, source.crc32c};
  const std::string path = to_.PathOf(source.name);
  const DownloadFileOptions options{.may_replace = options_.writing.mode != WriteMode::kCreate,
                                    .max_concurrency = call.connections,
                                    .decompress_gzip = options_.decompresses_gzip,
                                    .on_progress = call.on_progress,
                                    .stop = call.stop};
  const auto download = [&] { return DownloadFile(client_, object.object, path, options); };
  auto downloaded = source.generation == 0 ? download() : DownloadListed(client_, object, path, options);
  // If the object was overwritten since it was listed, the new one is downloaded.
  const bool is_gone =
      !downloaded && downloaded.error().code == ErrorCode::kNotFound && source.generation != 0 && !source.is_pinned;
  if (is_gone) downloaded = download();
  if (!downloaded && downloaded.error().code == ErrorCode::kUndecodable) {
    return Error{ErrorCode::kUndecodable, "'" + from_.PathOf(source.name) +
                                              "' has Content-Encoding: gzip, but damaged " +
                                              "gzip data; --do_not_decompress downloads its stored bytes"};
  }
  if (!downloaded) return downloaded.error();
  const std::uint64_t bytes = downloaded->object_size;
  if (call.on_progress) call.on_progress({bytes, bytes});
  return CopyOutcome{.kept_bytes = bytes - downloaded->bytes};
}

Result<CopyOutcome> Route::CopyWithin(const TreeEntry& source, const CopyCall& call) const {
  const auto made =
      Rewrite(client_, ObjectAt(from_, source), ObjectAt(to_, source), source, options_, call, is_move_served_);
  if (!made) return made.error();
  return CopyOutcome{.source_generation = made->source_generation, .is_moved = made->is_moved};
}

Result<void> Route::MakeDirectory(const TreeEntry& source) const {
  // An entry that is the root itself goes where its directory is.
  if (!to_.is_local() || source.name.empty()) return {};
  return MakeDirectories(to_.prefix, source.name);
}

Result<void> Route::Delete(const TreeEntry& present, const std::stop_token& stop) const {
  if (!to_.is_local()) return DeleteGeneration(client_, ObjectAt(to_, present), present.generation, stop);
  const std::string path = to_.PathOf(present.name);
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return internal::LocalError("delete", path);
}

Result<void> Route::DeleteSource(const TreeEntry& source, std::int64_t generation, const std::stop_token& stop) const {
  return DeleteGeneration(client_, ObjectAt(from_, source), generation, stop);
}

Result<bool> Route::IsSame(const TreeEntry& source, const TreeEntry& present, const std::stop_token& stop) const {
  const bool is_upload = from_.is_local();
  if (!is_upload && !to_.is_local()) return false;
  const auto crc32c = Crc32cOfFile(is_upload ? from_.PathOf(source.name) : to_.PathOf(present.name), stop);
  // A file at the destination that cannot be read counts as different, and is replaced.
  if (!crc32c && (is_upload || crc32c.error().code == ErrorCode::kCancelled)) return crc32c.error();
  return crc32c && (is_upload ? present : source).crc32c == *crc32c;
}

}  // namespace gcsflux::cli
