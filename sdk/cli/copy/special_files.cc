#include "cli/copy/special_files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/messages/local_error.h"

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using internal::LocalError;

constexpr int kLookMs = 50;  // How soon a request to stop is seen.

std::optional<int> NumberOf(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool IsPipe(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISFIFO(found.st_mode);
}

Result<File> FileOf(int descriptor, const std::string& path, const char* mode = "wb") {
  File file(descriptor < 0 ? nullptr : ::fdopen(descriptor, mode));
  if (file) return file;
  Error error = LocalError("open", path);
  if (descriptor >= 0) static_cast<void>(::close(descriptor));
  return error;
}

}  // namespace

std::optional<int> OwnDescriptorAt(const std::string& path) {
  constexpr int kMostLinks = 40;  // As many as the system follows.
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  fs::path link = fs::absolute(path, error);
  for (int i = 0; i < kMostLinks && !error && fs::is_symlink(link, error); ++i) {
    const fs::path directory = fs::canonical(link.parent_path(), error);
    if (!error && directory == own) return NumberOf(link.filename());
    link = directory / fs::read_symlink(link, error);
  }
  return std::nullopt;
}

Result<File> OpenSpecialSource(const std::string& path) {
  // Otherwise open() would wait for a writer, and continue to wait after a signal.
  return FileOf(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), path, "rb");
}

Result<std::size_t> ReadSome(int descriptor, std::span<std::byte> into, const std::string& name,
                             const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "reading " + name + " was cancelled"};
    pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kLookMs) <= 0) continue;
    const ssize_t got = ::read(descriptor, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN) return LocalError("read", name);
  }
}

Result<File> OpenSpecialDestination(const std::string& path, const std::stop_token& stop) {
  // Opened again, it would be a file from its beginning, and what is in it would be lost.
  if (const auto own = OwnDescriptorAt(path)) return FileOf(::fcntl(*own, F_DUPFD_CLOEXEC, 0), path);
  if (!IsPipe(path)) return FileOf(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY), path);
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) static_cast<void>(::fcntl(descriptor, F_SETFL, 0));
    if (descriptor >= 0 || errno != ENXIO) return FileOf(descriptor, path);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "writing " + path + " was cancelled"};
    static_cast<void>(::poll(nullptr, 0, kLookMs));
  }
}

}  // namespace gcsflux::cli
