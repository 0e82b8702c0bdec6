#include "transfer/upload/upload_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>

#include "base/crc32c.h"
#include "base/messages/local_error.h"

namespace gcsflux::internal {
namespace {

class Memory : public UploadSource {
 public:
  explicit Memory(std::span<const std::byte> data) : data_(data) {}
  [[nodiscard]] std::uint64_t size() const override { return data_.size(); }
  [[nodiscard]] std::optional<std::span<const std::byte>> memory() const override { return data_; }
  [[nodiscard]] Result<void> ReadInto(std::uint64_t offset, std::span<std::byte> buffer) const override {
    std::ranges::copy(data_.subspan(static_cast<std::size_t>(offset), buffer.size()), buffer.begin());
    return {};
  }
  [[nodiscard]] Result<void> CheckUnchanged() const override { return {}; }
  [[nodiscard]] std::string Fingerprint() const override { return {}; }

 private:
  const std::span<const std::byte> data_;
};

std::string FormatTime(const struct timespec& time) {
  return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

std::string FingerprintOfFile(const struct stat& file) {
  return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino) + " " + std::to_string(file.st_size) + " " +
         FormatTime(file.st_mtim) + " " + FormatTime(file.st_ctim);
}

class File : public UploadSource {
 public:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~File() override { static_cast<void>(::close(descriptor_)); }

  Result<void> Open() {
    if (::fstat(descriptor_, &opened_) != 0) return LocalError("look at", path_);
    if (!S_ISREG(opened_.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path_ + "' is not a regular file"};
    char byte = 0;
    if (opened_.st_size > 0 || ::pread(descriptor_, &byte, 1, 0) <= 0) return {};
    return Error{ErrorCode::kLocalIo, "'" + path_ +
                                          "' has bytes, but says that its size is 0, as files of /proc do; "
                                          "read it through a pipe"};
  }

  [[nodiscard]] std::uint64_t size() const override { return static_cast<std::uint64_t>(opened_.st_size); }

  [[nodiscard]] Result<void> ReadInto(std::uint64_t offset, std::span<std::byte> buffer) const override {
    for (std::size_t done = 0; done < buffer.size();) {
      const auto at = static_cast<off_t>(offset + done);
      const ssize_t got = ::pread(descriptor_, buffer.data() + done, buffer.size() - done, at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return LocalError("read", path_);
      if (got == 0) return Changed();
      done += static_cast<std::size_t>(got);
    }
    return {};
  }

  [[nodiscard]] Result<void> CheckUnchanged() const override {
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0) return LocalError("look at", path_);
    if (FingerprintOfFile(now) == FingerprintOfFile(opened_)) return {};
    return Changed();
  }

  [[nodiscard]] std::string Fingerprint() const override { return FingerprintOfFile(opened_); }

 private:
  [[nodiscard]] Error Changed() const {
    return Error{ErrorCode::kLocalIo, "'" + path_ + "' changed while it was being uploaded; nothing was stored"};
  }

  const int descriptor_;
  const std::string path_;
  struct stat opened_ {};
};

}  // namespace

Result<std::span<const std::byte>> UploadSource::Read(std::uint64_t offset, std::size_t count,
                                                      std::vector<std::byte>& buffer) const {
  if (const auto all = memory()) return all->subspan(static_cast<std::size_t>(offset), count);
  try {
    buffer.resize(count);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kLocalIo, "there is no memory for " + std::to_string(count) +
                                          " bytes of a file; lower UploadOptions::chunk_bytes"};
  }
  if (auto read = ReadInto(offset, buffer); !read) return read.error();
  return std::span<const std::byte>(buffer);
}

std::unique_ptr<UploadSource> MemorySource(std::span<const std::byte> data) { return std::make_unique<Memory>(data); }

Result<std::unique_ptr<UploadSource>> FileSource(const std::string& path) {
  // Without O_NONBLOCK, opening a FIFO would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return LocalError("open", path);
  auto file = std::make_unique<File>(descriptor, path);
  if (auto opened = file->Open(); !opened) return opened.error();
  return std::unique_ptr<UploadSource>(std::move(file));
}

Result<std::uint32_t> ChecksumOf(const UploadSource& source, std::uint64_t size, const std::stop_token& stop) {
  constexpr std::uint64_t kBlock = 1U << 20;
  std::vector<std::byte> buffer;
  std::uint32_t crc32c = 0;
  for (std::uint64_t offset = 0; offset < size; offset += kBlock) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "stopped while a file's checksum was computed"};
    const auto count = static_cast<std::size_t>(std::min(kBlock, size - offset));
    const auto data = source.Read(offset, count, buffer);
    if (!data) return data.error();
    crc32c = ExtendCrc32c(crc32c, *data);
  }
  return crc32c;
}

}  // namespace gcsflux::internal
