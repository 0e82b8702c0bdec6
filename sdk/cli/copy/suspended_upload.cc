#include "cli/copy/suspended_upload.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The previous owner of the lock may have removed the file.
bool IsStillNamed(int descriptor, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  const bool is_there = ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0;
  return is_there && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Empty if the user has no such directory.
std::string StateDirectory() {
  const std::string state_home = Variable("XDG_STATE_HOME");
  if (state_home.starts_with('/')) return state_home + "/gcsflux/uploads";
  const std::string home = Variable("HOME");
  return home.starts_with('/') ? home + "/.local/state/gcsflux/uploads" : std::string();
}

bool MakePrivate(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  return !error && ::chmod(directory.c_str(), S_IRWXU) == 0;
}

// The file with its lock, which it keeps until it is closed. -1 if it is not there, or another process has the lock.
int OpenLocked(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && IsStillNamed(descriptor, path)) return descriptor;
  static_cast<void>(::close(descriptor));
  return -1;
}

// Sessions live for a week. Parts live longer, and `gcsflux clean` removes them.
bool IsOld(int descriptor) {
  constexpr auto kOld = std::chrono::hours(24 * 8);
  struct stat found {};
  if (::fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) return false;
  return std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(found.st_mtime) > kOld;
}

void RemoveOld(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const int descriptor = OpenLocked(entry->path(), O_NONBLOCK);
    if (descriptor < 0) continue;
    if (IsOld(descriptor)) static_cast<void>(::unlink(entry->path().c_str()));
    static_cast<void>(::close(descriptor));
  }
}

}  // namespace

std::unique_ptr<SuspendedUpload> SuspendedUpload::Open(const std::string& name) {
  const std::string directory = StateDirectory();
  if (directory.empty() || !MakePrivate(directory)) return nullptr;
  static std::once_flag cleaned;
  std::call_once(cleaned, [&] { RemoveOld(directory); });
  const std::string path = directory + "/" + name;
  const int descriptor = OpenLocked(path, O_CREAT);
  return descriptor < 0 ? nullptr : std::unique_ptr<SuspendedUpload>(new SuspendedUpload(descriptor, path));
}

SuspendedUpload::~SuspendedUpload() {
  struct stat found {};
  const bool is_empty = ::fstat(descriptor_, &found) == 0 && found.st_size == 0;
  if (is_empty && IsStillNamed(descriptor_, path_)) static_cast<void>(::unlink(path_.c_str()));
  static_cast<void>(::close(descriptor_));
}

std::string SuspendedUpload::Load() const {
  constexpr std::size_t kMost = 64 << 10;
  std::string state(kMost, '\0');
  const ssize_t got = ::pread(descriptor_, state.data(), state.size(), 0);
  state.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return state;
}

bool SuspendedUpload::Save(const std::string& state) const {
  return ::ftruncate(descriptor_, 0) == 0 &&
         ::pwrite(descriptor_, state.data(), state.size(), 0) == static_cast<ssize_t>(state.size());
}

}  // namespace gcsflux::cli
