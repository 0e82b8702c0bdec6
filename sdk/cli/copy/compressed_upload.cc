#include "cli/copy/compressed_upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "base/messages/local_error.h"
#include "cli/copy/gzip.h"
#include "cli/copy/special_files.h"

namespace gcsflux::cli {
namespace {

Result<struct stat> LookAt(int descriptor, const std::string& path) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return internal::LocalError("look at", path);
  if (!S_ISREG(found.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path + "' is not a regular file"};
  return found;
}

bool IsUnchanged(const struct stat& before, const struct stat& after) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

Result<std::size_t> ReadBlock(int descriptor, std::span<std::byte> into, const std::string& path) {
  ssize_t got = -1;
  do {
    got = ::read(descriptor, into.data(), into.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return internal::LocalError("read", path);
  return static_cast<std::size_t>(got);
}

}  // namespace

Result<ObjectMetadata> UploadFrom(const Client& client, const ByteSource& source, const ObjectName& object,
                                  const UploadOptions& options) {
  ObjectWriter writer(client, object, options);
  const ByteSink send = [&](std::span<const std::byte> data) { return writer.Write(data); };
  std::optional<Gzip> gzip;
  if (options.attributes.content_encoding == "gzip") gzip.emplace();
  std::vector<std::byte> block(1U << 20);
  while (true) {
    const auto count = source(block);
    if (!count) return count.error();
    if (*count == 0) break;
    const auto data = std::span(block).first(*count);
    if (auto sent = gzip ? gzip->Write(data, send) : send(data); !sent) return sent.error();
  }
  if (gzip) {
    if (auto ended = gzip->Finish(send); !ended) return ended.error();
  }
  return writer.Close();
}

Result<ObjectMetadata> UploadCompressed(const Client& client, const std::string& path, const ObjectName& object,
                                        const UploadOptions& options) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) return internal::LocalError("open", path);
  const int descriptor = ::fileno(file.get());
  const auto before = LookAt(descriptor, path);
  if (!before) return before.error();
  Progress read{.total = static_cast<std::uint64_t>(before->st_size)};
  const ByteSource source = [&](std::span<std::byte> into) -> Result<std::size_t> {
    const auto count = ReadBlock(descriptor, into, path);
    if (!count) return count.error();
    read.bytes += *count;
    if (options.on_progress) options.on_progress(read);
    if (*count > 0) return *count;
    const auto after = LookAt(descriptor, path);
    if (!after) return after.error();
    if (!IsUnchanged(*before, *after)) return Error{ErrorCode::kLocalIo, "'" + path + "' changed while it was read"};
    return std::size_t{0};
  };
  UploadOptions writing = options;
  writing.on_progress = {};
  return UploadFrom(client, source, object, writing);
}

}  // namespace gcsflux::cli
