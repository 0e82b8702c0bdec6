#include "cli/copy/route.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/messages/local_error.h"
#include "cli/copy/local_tree.h"
#include "cli/copy/rewrite.h"
#include "cli/copy/upload_file.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"

namespace gcsflux::cli {
namespace {

ObjectName ObjectAt(const Root& root, const TreeEntry& entry) { return {root.bucket, root.prefix + entry.name}; }

bool HasChecksum(const TreeEntry& object, const Result<std::uint32_t>& crc32c) {
  return object.crc32c && *object.crc32c == *crc32c;
}

Result<void> DeleteObject(const Client& client, const Root& root, const TreeEntry& present,
                          const std::stop_token& stop) {
  auto deleted = client.DeleteObject(ObjectAt(root, present), {.generation = present.generation, .stop = stop});
  if (!deleted && deleted.error().code == ErrorCode::kNotFound) return {};
  return deleted;
}

class ToBucket : public Route {
 public:
  ToBucket(const Client& client, const Root& from, const Root& to, const RouteOptions& options)
      : client_(client), from_(from), to_(to), options_(options) {}

  Result<std::uint64_t> Copy(const TreeEntry& source, const CopyCall& call) const override {
    UploadOptions options = options_.writing;
    options.on_progress = call.on_progress;
    options.stop = call.stop;
    options.max_concurrency = std::min(options.max_concurrency, call.connections);
    return UploadResumably(client_, from_.PathOf(source.name), ObjectAt(to_, source), options);
  }
  Result<void> MakeDirectory(const TreeEntry&) const override { return {}; }
  Result<void> Delete(const TreeEntry& present, const std::stop_token& stop) const override {
    return DeleteObject(client_, to_, present, stop);
  }
  Result<bool> IsSame(const TreeEntry& source, const TreeEntry& present, const std::stop_token& stop) const override {
    const auto crc32c = Crc32cOfFile(from_.PathOf(source.name), stop);
    if (!crc32c) return crc32c.error();
    return HasChecksum(present, crc32c);
  }

 private:
  const Client& client_;
  const Root& from_;
  const Root& to_;
  const RouteOptions& options_;
};

class ToDirectory : public Route {
 public:
  ToDirectory(const Client& client, const Root& from, const Root& to, const RouteOptions& options)
      : client_(client), from_(from), to_(to), options_(options) {}

  Result<std::uint64_t> Copy(const TreeEntry& source, const CopyCall& call) const override {
    if (auto made = MakeDirectories(to_.prefix, source.name); !made) return made.error();
    const DownloadSource object{ObjectAt(from_, source), source.size, source.generation, source.crc32c};
    const DownloadFileOptions options{.may_replace = options_.writing.mode != WriteMode::kCreate,
                                      .max_concurrency = call.connections,
                                      .on_progress = call.on_progress,
                                      .stop = call.stop};
    auto downloaded = DownloadListed(client_, object, to_.PathOf(source.name), options);
    // If the object was overwritten since it was listed, the new one is downloaded.
    const bool is_gone = !downloaded && downloaded.error().code == ErrorCode::kNotFound;
    if (is_gone) downloaded = DownloadFile(client_, object.object, to_.PathOf(source.name), options);
    if (!downloaded) return downloaded.error();
    return downloaded->kept_bytes;
  }
  Result<void> MakeDirectory(const TreeEntry& source) const override {
    return MakeDirectories(to_.prefix, source.name);
  }
  Result<void> Delete(const TreeEntry& present, const std::stop_token&) const override {
    const std::string path = to_.PathOf(present.name);
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return internal::LocalError("delete", path);
  }
  // An entry that cannot be read counts as different, and is replaced.
  Result<bool> IsSame(const TreeEntry& source, const TreeEntry& present, const std::stop_token& stop) const override {
    const auto crc32c = Crc32cOfFile(to_.PathOf(present.name), stop);
    if (!crc32c && crc32c.error().code == ErrorCode::kCancelled) return crc32c.error();
    return crc32c && HasChecksum(source, crc32c);
  }

 private:
  const Client& client_;
  const Root& from_;
  const Root& to_;
  const RouteOptions& options_;
};

class WithinService : public Route {
 public:
  WithinService(const Client& client, const Root& from, const Root& to, const RouteOptions& options)
      : client_(client), from_(from), to_(to), options_(options) {}

  Result<std::uint64_t> Copy(const TreeEntry& source, const CopyCall& call) const override {
    RewriteCall rewrite{.may_replace = options_.writing.mode != WriteMode::kCreate,
                        .guess = RewriteGuess{.source_generation = source.generation,
                                              .live_generation = call.present ? call.present->generation : 0,
                                              .source_crc32c = source.crc32c},
                        .on_progress = call.on_progress,
                        .stop = call.stop};
    if (options_.gives_content_type) rewrite.content_type = options_.writing.attributes.content_type;
    auto copied = Rewrite(client_, ObjectAt(from_, source), ObjectAt(to_, source), rewrite);
    if (!copied) return copied.error();
    return std::uint64_t{0};
  }
  Result<void> MakeDirectory(const TreeEntry&) const override { return {}; }
  Result<void> Delete(const TreeEntry& present, const std::stop_token& stop) const override {
    return DeleteObject(client_, to_, present, stop);
  }
  Result<bool> IsSame(const TreeEntry&, const TreeEntry&, const std::stop_token&) const override { return false; }

 private:
  const Client& client_;
  const Root& from_;
  const Root& to_;
  const RouteOptions& options_;
};

}  // namespace

std::unique_ptr<Route> MakeRoute(const Client& client, const Root& from, const Root& to, const RouteOptions& options) {
  if (from.is_local()) return std::make_unique<ToBucket>(client, from, to, options);
  if (to.is_local()) return std::make_unique<ToDirectory>(client, from, to, options);
  return std::make_unique<WithinService>(client, from, to, options);
}

}  // namespace gcsflux::cli
