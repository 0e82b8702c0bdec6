#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "gcsflux/formats.h"

namespace gcsflux::formats_tests {

inline Error FileError(const std::string& path) { return {ErrorCode::kLocalIo, path + ": " + std::strerror(errno)}; }

/// A local file that is read by offset.
inline Result<ByteSource> OpenLocalFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return FileError(path);
  const std::shared_ptr<const int> file(new int(descriptor), [](const int* open) {
    ::close(*open);
    delete open;
  });
  const auto read_at = [file, path](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
    while (!into.empty()) {
      const ssize_t got = ::pread(*file, into.data(), into.size(), static_cast<off_t>(offset));
      if (got <= 0) return FileError(path);
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  };
  return ByteSource{
      .name = path, .size = static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_END)), .read_at = read_at};
}

/// A local file that is written sequentially.
inline Result<ByteSink> CreateLocalFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return FileError(path);
  const std::shared_ptr<const int> file(new int(descriptor), [](const int* open) {
    ::close(*open);
    delete open;
  });
  return ByteSink([file, path](std::span<const std::byte> bytes) -> Result<void> {
    while (!bytes.empty()) {
      const ssize_t put = ::write(*file, bytes.data(), bytes.size());
      if (put <= 0) return FileError(path);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return {};
  });
}

}  // namespace gcsflux::formats_tests
