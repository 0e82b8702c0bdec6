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

// Sessions live for a week. Parts live longer, and `gcsflux clean` removes them.
void RemoveOld(const std::string& directory) {
  constexpr auto kOld = std::chrono::hours(24 * 8);
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    const auto written = entry->last_write_time(ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > kOld) fs::remove(entry->path(), ignored);
  }
}

}  // namespace

std::unique_ptr<SuspendedUpload> SuspendedUpload::Open(const std::string& name) {
  const std::string directory = StateDirectory();
  if (directory.empty() || !MakePrivate(directory)) return nullptr;
  static std::once_flag cleaned;
  std::call_once(cleaned, [&] { RemoveOld(directory); });
  const std::string path = directory + "/" + name;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<SuspendedUpload> upload(new SuspendedUpload(descriptor, path));
  const bool is_ours = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && IsStillNamed(descriptor, path);
  return is_ours ? std::move(upload) : nullptr;
}

SuspendedUpload::~SuspendedUpload() {
  struct stat found {};
  if (::fstat(descriptor_, &found) == 0 && found.st_size == 0) static_cast<void>(::unlink(path_.c_str()));
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
