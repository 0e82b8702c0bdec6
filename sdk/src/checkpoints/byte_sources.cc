#include "checkpoints/byte_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/messages/local_error.h"

namespace gcsflux {
namespace {

class LocalFile {
 public:
  explicit LocalFile(int descriptor) : descriptor_(descriptor) {}
  ~LocalFile() { ::close(descriptor_); }
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  Result<void> Read(const std::string& path, std::uint64_t offset, std::span<std::byte> into) const {
    while (!into.empty()) {
      const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return internal::LocalError("read", path);
      if (got == 0) return Error{ErrorCode::kAborted, "'" + path + "' became shorter while it was read"};
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }

 private:
  const int descriptor_;
};

}  // namespace

ByteSource SourceOf(const std::shared_ptr<const ObjectReader>& reader) {
  ByteSource source{
      .name = ToUri(reader->source().object),
      .size = reader->size(),
      .read_at =
          [reader](std::uint64_t offset, std::span<std::byte> into) {
            return reader->Read({RangeRead{offset, into}});
          },
      .read_all = [reader](std::span<const RangeRead> reads, std::optional<Checksum> sum) -> Result<ReadSums> {
        if (sum) return reader->ReadSummed(reads, *sum);
        if (auto read = reader->Read(reads); !read) return read.error();
        return ReadSums();
      }};
  if (reader->source().crc32c) {
    source.verify_whole = [reader] { return reader->VerifyWhole(); };
  }
  return source;
}

Result<ByteSource> SourceOfFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return internal::LocalError("open", path);
  const auto file = std::make_shared<const LocalFile>(descriptor);
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return internal::LocalError("look at", path);
  if (!S_ISREG(found.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path + "' is not a regular file"};
  return ByteSource{.name = path,
                    .size = static_cast<std::uint64_t>(found.st_size),
                    .read_at = [file, path](std::uint64_t offset, std::span<std::byte> into) {
                      return file->Read(path, offset, into);
                    }};
}

}  // namespace gcsflux
