#include "persistence/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "metadata.sqlite";
constexpr const char* kBodies = "bodies";
constexpr const char* kLock = "lock";

[[noreturn]] void Refuse(const fs::path& directory, const std::string& why) {
  throw std::runtime_error("data directory " + directory.string() + ": " + why);
}

// Does not take over a directory that a user named by mistake.
void CheckIsOurs(const fs::path& directory) {
  if (fs::exists(directory / kDatabase)) return;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const fs::path name = entry.path().filename();
    if (name != kLock && name != kBodies && name != "lost+found") {
      Refuse(directory, "it has other files and no " + std::string(kDatabase));
    }
    if (name == kBodies && !fs::is_empty(entry.path())) {
      Refuse(directory, "it has bodies and no " + std::string(kDatabase) + ", which names their objects");
    }
  }
}

fs::path Prepared(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) Refuse(directory, error.message());
  return directory;
}

fs::path PreparedData(const fs::path& directory) {
  CheckIsOurs(Prepared(directory));
  return directory;
}

}  // namespace

DataDirectory::Lock::Lock(const fs::path& directory)
    : descriptor_(::open((directory / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0) Refuse(directory, std::error_code(errno, std::generic_category()).message());
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(descriptor_);
  Refuse(directory, "another process uses it");
}

DataDirectory::Lock::~Lock() { ::close(descriptor_); }

bool DataDirectory::Lock::is_marked() const {
  char mark = 0;
  return ::pread(descriptor_, &mark, 1, 0) == 1;
}

// If it fails, a start says too much or too little, and loses nothing.
void DataDirectory::Lock::Mark(bool is_in_use) const {
  if (is_in_use) {
    (void)!::pwrite(descriptor_, "in use\n", 7, 0);
  } else {
    (void)!::ftruncate(descriptor_, 0);
  }
}

LoadReport DataDirectory::Load(Store& store, ResumableSessions& sessions, HmacKeys& keys) {
  LoadReport report = LoadStore(database_, files_, store, sessions, keys);
  report.is_after_crash = lock_.is_marked();
  return report;
}

void DataDirectory::Open() {
  lock_.Mark(true);
  files_.FreeUnused(true);
}

void DataDirectory::Close() {
  files_.FreeUnused(false);
  lock_.Mark(false);
}

DataDirectory::DataDirectory(const fs::path& directory, bool syncs)
    : lock_(PreparedData(directory)),
      files_(Prepared(directory / kBodies), syncs),
      database_(directory / kDatabase, syncs) {}

}  // namespace gcsflux::emulator
