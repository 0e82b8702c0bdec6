#include "transfer/file/partial_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/crc32c.h"
#include "base/messages/local_error.h"
#include "base/process/file_size_signal.h"
#include "base/process/leaf_section.h"
#include "base/process/own_descriptors.h"
#include "base/process/owner_process.h"
#include "base/sha256.h"
#include "base/still_named.h"
#include "base/text/hex.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kEnding = ".gcsflux-partial";
constexpr std::size_t kMostNameBytes = 255;  // NAME_MAX of all common file systems.
constexpr mode_t kMode = 0666;               // Minus the umask, as for every new file.

struct Place {
  std::string directory;  // With its slash; empty for the working directory.
  std::string name;
};

Place Split(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? Place{"", path} : Place{path.substr(0, slash + 1), path.substr(slash + 1)};
}

Error InUse(const std::string& path) {
  return Error{ErrorCode::kLocalIo, "'" + path + "' is being written by another download of the same file"};
}

Error ThereAlready(const std::string& path) {
  return Error{ErrorCode::kAlreadyExists, "'" + path + "' exists already"};
}

// The system's directories of names for its own files and descriptors: "/dev", and all of /proc.
bool IsOfTheSystem(const std::string& directory) {
  struct stat found {};
  struct stat devices {};
  const std::string place = directory.empty() ? "." : directory;
  if (::stat(place.c_str(), &found) == 0 && ::stat("/dev", &devices) == 0 && found.st_dev == devices.st_dev &&
      found.st_ino == devices.st_ino) {
    return true;
  }
  struct statfs system {};
  return ::statfs(place.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Some file systems (NFS) have no locks; then there is none.
bool Lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

// A child's copy of the descriptor would hold the lock as long as the child lives.
int OpenOwn(const std::string& path) {
  const LeafSection leaf;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kMode);
  if (descriptor >= 0) AddOwnDescriptor(descriptor);
  return descriptor;
}

Result<void> CheckDestination(const std::string& destination) {
  struct stat found {};
  if (::lstat(destination.c_str(), &found) != 0) return {};
  if (S_ISLNK(found.st_mode) && IsOfTheSystem(Split(destination).directory)) {
    return Error{ErrorCode::kLocalIo, "'" + destination + "' is a link of the system, which no download replaces"};
  }
  if (S_ISREG(found.st_mode) || S_ISLNK(found.st_mode)) return {};
  return Error{ErrorCode::kLocalIo, "'" + destination + "' exists already and is not a regular file"};
}

}  // namespace

std::string PartialName(std::string_view name) {
  if (1 + name.size() + kEnding.size() <= kMostNameBytes) return "." + std::string(name) + std::string(kEnding);
  constexpr std::size_t kHashDigits = 32;
  const std::size_t kept = kMostNameBytes - kEnding.size() - kHashDigits - 2;
  const std::string hash = HexEncode(Sha256(name)).substr(0, kHashDigits);
  return "." + std::string(name.substr(0, kept)) + "." + hash + std::string(kEnding);
}

Result<void> CheckLength(const std::string& destination) {
  const Place place = Split(destination);
  struct stat found {};
  for (const std::string& path : {destination, place.directory + PartialName(place.name)}) {
    if (::lstat(path.c_str(), &found) == 0 || errno != ENAMETOOLONG) continue;
    return Error{ErrorCode::kInvalidArgument, "'" + destination + "': " + std::strerror(ENAMETOOLONG)};
  }
  return {};
}

Result<void> CheckFree(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return ThereAlready(path);
  return {};
}

bool IsPartialName(std::string_view name) { return name.starts_with('.') && name.ends_with(kEnding); }

Result<std::unique_ptr<PartialFile>> PartialFile::Open(const std::string& destination, const std::string& stage) {
  if (auto checked = CheckDestination(destination); !checked) return checked.error();
  const Place place = Split(destination);
  const std::string path = place.directory + PartialName(place.name + stage);
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const int descriptor = OpenOwn(path);
    if (descriptor < 0) return LocalError("create", path);
    std::unique_ptr<PartialFile> file(new PartialFile(descriptor, path, destination));
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) return LocalError("look at", path);
    if (!S_ISREG(found.st_mode)) return Error{ErrorCode::kLocalIo, "'" + path + "' is not a regular file"};
    if (!Lock(descriptor)) return InUse(path);
    if (IsStillNamed(descriptor, path)) return file;
  }
  return InUse(path);
}

PartialFile::~PartialFile() { CloseOwnDescriptor(descriptor_); }

std::optional<PartialState> PartialFile::Load() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(std::min<off_t>(found.st_size, kMostStateBytes));
  std::string tail(bytes, '\0');
  const ssize_t got = ::pread(descriptor_, tail.data(), bytes, found.st_size - static_cast<off_t>(bytes));
  if (got != static_cast<ssize_t>(bytes)) return std::nullopt;
  auto state = ParsePartialState(tail);
  // A state must directly follow the bytes that it describes.
  const auto at = static_cast<std::uint64_t>(found.st_size);
  if (!state || at < state->size || at - state->size != FormatPartialState(*state).size()) return std::nullopt;
  return state;
}

Result<void> PartialFile::Clear(std::uint64_t bytes) {
  const FileSizeSignalBlock block;
  if (::ftruncate(descriptor_, 0) != 0) return LocalError("empty", path_);
  if (bytes == 0) return {};
  const int set_aside = ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  if (set_aside != 0 && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    return LocalError("set " + std::to_string(bytes) + " bytes aside for", path_);
  }
  return {};  // Other file systems cannot reserve space.
}

Result<void> PartialFile::Write(std::uint64_t offset, std::span<const std::byte> data) const {
  const FileSizeSignalBlock block;
  while (!data.empty()) {
    const ssize_t put = ::pwrite(descriptor_, data.data(), data.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return LocalError("write", path_);
    data = data.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return {};
}

Result<std::size_t> PartialFile::Read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return LocalError("read", path_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::uint32_t> PartialFile::Checksum(std::uint64_t offset, std::uint64_t length) const {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(length, 1U << 20));
  std::uint32_t crc32c = 0;
  while (length > 0) {
    const auto got = Read(offset, std::span(buffer).first(std::min<std::uint64_t>(length, buffer.size())));
    if (!got) return got.error();
    if (*got == 0) return Error{ErrorCode::kLocalIo, "'" + path_ + "' ends early"};
    crc32c = ExtendCrc32c(crc32c, std::span(buffer).first(*got));
    offset += *got;
    length -= *got;
  }
  return crc32c;
}

Result<void> PartialFile::Save(const PartialState& state) const {
  const std::string text = FormatPartialState(state);
  return Write(state.size, std::as_bytes(std::span(text)));
}

Result<void> PartialFile::Commit(const CommitOptions& options) {
  {
    const FileSizeSignalBlock block;
    if (::ftruncate(descriptor_, static_cast<off_t>(options.size)) != 0) return LocalError("end", path_);
  }
  if (options.is_durable && ::fsync(descriptor_) != 0) return LocalError("sync", path_);
  // While this file has its name, its lock keeps other downloads from making another file of that name.
  if (!IsStillNamed(descriptor_, path_)) {
    return Error{ErrorCode::kLocalIo,
                 "'" + path_ + "' was removed, moved or replaced during its download; download the object again"};
  }
  if (auto renamed = Rename(options.may_replace); !renamed || !options.is_durable) return renamed;
  const std::string directory = Split(destination_).directory;
  const int opened = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return LocalError("open", directory);
  const int synced = ::fsync(opened);
  const int error = errno;
  static_cast<void>(::close(opened));
  if (synced != 0) return LocalError("sync", directory, error);
  return {};
}

Result<void> PartialFile::Rename(bool may_replace) const {
  const unsigned int flags = may_replace ? 0 : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, destination_.c_str(), flags) == 0) return {};
  if (!may_replace && (errno == EINVAL ||
                       errno == ENOSYS)) {  // The file system does not support this; a hard link never replaces a file.
    if (::link(path_.c_str(), destination_.c_str()) == 0)
      return static_cast<void>(::unlink(path_.c_str())), Result<void>();
  }
  if (errno == EEXIST) return ThereAlready(destination_);
  return LocalError("name", destination_);
}

void PartialFile::Discard() {
  if (owner_.IsCurrent() && IsStillNamed(descriptor_, path_)) static_cast<void>(::unlink(path_.c_str()));
}

}  // namespace gcsflux::internal
