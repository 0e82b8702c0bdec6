#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/result.h"

// Pipes, devices and descriptors as source or destination of a copy.
namespace gcsflux::cli {

struct FileCloser {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// The descriptor of this process that a path means, directly or by links: 1 for /dev/stdout, 3 for /proc/self/fd/3.
/// Nothing for other paths.
std::optional<int> OwnDescriptorAt(const std::string& path);

/// Opens a pipe or device for ReadSome(). Does not wait for the pipe's writer.
Result<File> OpenSpecialSource(const std::string& path);

/// Reads what is there, and waits if there is nothing yet. Returns 0 at the end, and kCancelled if `stop` is stopped.
/// `name` is for messages.
Result<std::size_t> ReadSome(int descriptor, std::span<std::byte> into, const std::string& name,
                             const std::stop_token& stop);

/// Opens a pipe, a device, or a descriptor of this process (OwnDescriptorAt()) as it is. Waits for the pipe's reader;
/// returns kCancelled if `stop` is stopped.
Result<File> OpenSpecialDestination(const std::string& path, const std::stop_token& stop);

}  // namespace gcsflux::cli
