#include "transfer/cache/cache_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/messages/local_error.h"
#include "base/process/file_size_signal.h"
#include "base/process/leaf_section.h"
#include "base/process/own_descriptors.h"
#include "transfer/cache/cache_entry.h"

namespace gcsflux::internal {
namespace {

// The file with the count marks a directory as a cache of this format.
constexpr const char* kCountFile = "gcsflux-cache";
constexpr std::string_view kFormat = "gcsflux-cache 1\n";
constexpr std::size_t kCountDigits = 20;
constexpr std::string_view kNewFile = "new-";
constexpr std::uint64_t kDiskBlock = 4096;

Error NotUsable(const std::string& path, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "the directory '" + path + "' of the cache " + why};
}

struct CloseDirectory {
  void operator()(DIR* listed) const { static_cast<void>(::closedir(listed)); }
};

// Calls `visit` with each name, but . and .. . Its own descriptor, because listings of one share a position.
template <class Visit>
bool ForEachName(int directory, const Visit& visit) {
  const int opened = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDirectory> listed(opened < 0 ? nullptr : ::fdopendir(opened));
  if (!listed) {
    if (opened >= 0) static_cast<void>(::close(opened));
    return false;
  }
  while (const dirent* entry = ::readdir(listed.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") visit(name);
  }
  return true;
}

// Others hold it for microseconds, or while they make room. A process that was stopped may hold it for ever.
class FileLock {
 public:
  FileLock(int descriptor, int tries) : descriptor_(descriptor) {
    for (int i = 0; i < tries && !is_held_; ++i) {
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      // Some file systems (NFS) have no locks; then there is none.
      is_held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
    }
  }
  ~FileLock() {
    if (is_held_) static_cast<void>(::flock(descriptor_, LOCK_UN));
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  const int descriptor_;
  bool is_held_ = false;
};
constexpr int kTries = 1000;

Result<void> CheckOwner(int descriptor, const std::string& path) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return LocalError("look at", path);
  if (found.st_uid != ::geteuid()) return NotUsable(path, "belongs to another user; name one of your own");
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return NotUsable(path, "gives other users access; run `chmod 700` on it, or name one that does not exist yet");
}

// The count, or nothing if it cannot be read.
std::optional<std::uint64_t> ReadCount(int descriptor) {
  std::array<char, kFormat.size() + kCountDigits> text{};
  if (::pread(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return std::nullopt;
  std::uint64_t count = 0;
  const char* digits = text.data() + kFormat.size();
  const auto [end, failure] = std::from_chars(digits, text.data() + text.size(), count);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return count;
}

bool WriteCount(int descriptor, std::uint64_t count) {
  const FileSizeSignalBlock block;
  std::string digits = std::to_string(count);
  digits.insert(0, kCountDigits - digits.size(), '0');
  const std::string text = std::string(kFormat) + digits + "\n";
  return ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool HasFormat(int descriptor) {
  std::array<char, kFormat.size()> text{};
  return ::pread(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         std::string_view(text.data(), text.size()) == kFormat;
}

// Opens the file with the count. If the directory is empty, makes it.
Result<OwnedFile> OpenCount(int directory, const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
  OwnedFile count = OwnedFile::Open(directory, kCountFile, kFlags);
  if (!count && errno == ENOENT) {
    bool is_empty = true;
    const auto visit = [&](const std::string& name) { is_empty = is_empty && name == kCountFile; };
    if (!ForEachName(directory, visit)) return LocalError("list", path);
    if (!is_empty) return NotUsable(path, "has files that are no cache; name an empty one, or one that does not exist");
    count = OwnedFile::Open(directory, kCountFile, kFlags | O_CREAT, S_IRUSR | S_IWUSR);
  }
  if (!count) return LocalError("open", path + "/" + kCountFile);
  struct stat found {};
  if (::fstat(count.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != ::geteuid()) {
    return NotUsable(path, "has a file '" + std::string(kCountFile) + "' that is no regular file of this user");
  }
  const FileLock lock(count.get(), kTries);
  if (::fstat(count.get(), &found) == 0 && found.st_size == 0 && !WriteCount(count.get(), 0)) {
    return LocalError("write", path + "/" + kCountFile);
  }
  if (!HasFormat(count.get())) return NotUsable(path, "is a cache of another format; name another one");
  return count;
}

struct Entry {
  timespec used = {};
  std::uint64_t bytes = 0;
  std::string name = {};
};

bool IsOlder(const Entry& a, const Entry& b) {
  return std::tie(a.used.tv_sec, a.used.tv_nsec) < std::tie(b.used.tv_sec, b.used.tv_nsec);
}

// True if the process that was writing it has ended.
bool IsAbandoned(int directory, const std::string& name) {
  const OwnedFile file = OwnedFile::Open(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

OwnedFile OwnedFile::Open(int directory, const std::string& name, int flags, unsigned int mode) {
  const LeafSection leaf;
  OwnedFile file;
  file.descriptor_ = ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode);
  if (file) AddOwnDescriptor(file.descriptor_);
  return file;
}

OwnedFile::~OwnedFile() {
  if (descriptor_ >= 0) CloseOwnDescriptor(descriptor_);
}

Result<std::unique_ptr<CacheDirectory>> CacheDirectory::Open(const std::string& path) {
  if (path.empty()) return NotUsable(path, "has no name; set CacheOptions::directory (--cache_dir)");
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) return LocalError("make", path);
  // A slash at the end would follow a link.
  const std::string name = path.substr(0, std::max<std::size_t>(path.find_last_not_of('/') + 1, 1));
  OwnedFile directory = OwnedFile::Open(AT_FDCWD, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory && (errno == ENOTDIR || errno == ELOOP)) return NotUsable(path, "is none, or a symbolic link");
  if (!directory) return LocalError("open", path);
  if (auto checked = CheckOwner(directory.get(), path); !checked) return checked.error();
  auto count = OpenCount(directory.get(), path);
  if (!count) return count.error();
  return std::unique_ptr<CacheDirectory>(new CacheDirectory(path, std::move(directory), *std::move(count)));
}

OwnedFile CacheDirectory::OpenToRead(const std::string& name) const {
  OwnedFile file = OwnedFile::Open(directory_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat found {};
  const bool is_ours =
      file && ::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid();
  return is_ours ? std::move(file) : OwnedFile();
}

void CacheDirectory::Touch(const OwnedFile& file) const {
  std::array<timespec, 2> times{};
  ::clock_gettime(CLOCK_REALTIME, times.data());  // UTIME_NOW is as coarse as the kernel's ticks.
  times[1].tv_nsec = UTIME_OMIT;
  static_cast<void>(::futimens(file.get(), times.data()));
}

std::uint64_t CacheDirectory::OnDisk(std::uint64_t bytes) { return (bytes + kDiskBlock - 1) / kDiskBlock * kDiskBlock; }

Result<CacheDirectory::NewFile> CacheDirectory::Create(std::uint64_t bytes) const {
  static std::atomic<std::uint64_t> number = 0;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::string name = std::string(kNewFile) + std::to_string(::getpid()) + "-" + std::to_string(number++) + "-" +
                           std::to_string(now.tv_sec) + "." + std::to_string(now.tv_nsec);
  NewFile made{
      .file = OwnedFile::Open(directory_.get(), name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR),
      .name = name,
      .bytes = OnDisk(bytes)};
  if (!made.file) return LocalError("make a file in", path_);
  static_cast<void>(::flock(made.file.get(), LOCK_EX | LOCK_NB));
  const FileSizeSignalBlock block;
  if (::ftruncate(made.file.get(), static_cast<off_t>(bytes)) == 0) return made;
  auto error = LocalError("write into", path_);
  Unlink(name);
  return error;
}

bool CacheDirectory::Reserve(const NewFile& made, std::uint64_t most, Evicted& evicted) {
  bool has_room = false;
  ChangeCount([&](std::uint64_t count) {
    const auto fits = [&] { return count <= most && made.bytes <= most - count; };
    if (!fits()) {
      // More than is needed now: looking at all entries takes long.
      const std::uint64_t leave = most - most / 16;
      count = Evict(made, leave - std::min(leave, made.bytes), evicted).value_or(count);
    }
    has_room = fits();
    return has_room ? count + made.bytes : count;
  });
  return has_room;
}

Result<void> CacheDirectory::Allocate(const NewFile& made) const {
  const FileSizeSignalBlock block;
  struct stat found {};
  if (::fstat(made.file.get(), &found) != 0) return LocalError("look at a file in", path_);
  const int set_aside = ::fallocate(made.file.get(), 0, 0, found.st_size);
  if (set_aside == 0 || errno == EOPNOTSUPP || errno == EINTR) return {};  // Not all file systems can reserve space.
  return LocalError("set " + std::to_string(found.st_size) + " bytes aside in", path_);
}

bool CacheDirectory::Commit(const NewFile& made, const std::string& name) {
  bool is_named = false;
  // Under the lock: a removal that runs meanwhile would see both names, or none.
  ChangeCount([&](std::uint64_t count) {
    const int directory = directory_.get();
    is_named = ::renameat2(directory, made.name.c_str(), directory, name.c_str(), RENAME_NOREPLACE) == 0;
    // If the file system does not support this, an entry of the name is replaced: it has the same bytes.
    const bool is_unsupported = !is_named && (errno == EINVAL || errno == ENOSYS);
    if (is_unsupported) is_named = ::renameat(directory, made.name.c_str(), directory, name.c_str()) == 0;
    return count;
  });
  return is_named;
}

void CacheDirectory::Discard(const NewFile& made, bool is_counted) {
  if (is_counted) ChangeCount([&](std::uint64_t count) { return count - std::min(count, made.bytes); });
  Unlink(made.name);
}

void CacheDirectory::Remove(const std::string& name, std::uint64_t bytes) {
  const auto remove = [&](std::uint64_t count) { return Unlink(name) ? count - std::min(count, bytes) : count; };
  if (!ChangeCount(remove)) Unlink(name);
}

bool CacheDirectory::Unlink(const std::string& name) const {
  return ::unlinkat(directory_.get(), name.c_str(), 0) == 0;
}

bool CacheDirectory::ChangeCount(const std::function<std::uint64_t(std::uint64_t count)>& change) {
  const MutexLock one_thread(mutex_);
  // After it was locked out once, it does not wait again.
  const FileLock one_process(count_.get(), is_locked_out_ ? 1 : kTries);
  is_locked_out_ = !one_process.is_held();
  if (is_locked_out_) return false;
  // A count that cannot be read is too high: the next removal counts again.
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 62;
  const std::uint64_t before = ReadCount(count_.get()).value_or(kUnknown);
  const std::uint64_t after = change(before);
  if (after != before) static_cast<void>(WriteCount(count_.get(), after));
  return true;
}

std::optional<std::uint64_t> CacheDirectory::Evict(const NewFile& uncounted, std::uint64_t leave, Evicted& evicted) {
  std::vector<Entry> entries;
  std::uint64_t bytes = 0;
  const bool is_listed = ForEachName(directory_.get(), [&](const std::string& name) {
    struct stat found {};
    const bool is_new = name.starts_with(kNewFile);
    if (name == uncounted.name || (!is_new && !CacheEntry::IsFileName(name))) return;
    if (::fstatat(directory_.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (is_new && IsAbandoned(directory_.get(), name) && Unlink(name)) return;
    bytes += OnDisk(static_cast<std::uint64_t>(found.st_size));
    if (!is_new) entries.push_back({found.st_atim, OnDisk(static_cast<std::uint64_t>(found.st_size)), name});
  });
  if (!is_listed) return std::nullopt;
  std::ranges::sort(entries, IsOlder);
  for (auto oldest = entries.begin(); oldest != entries.end() && bytes > leave; ++oldest) {
    if (Unlink(oldest->name)) {
      ++evicted.entries;
      evicted.bytes += oldest->bytes;
    }
    bytes -= oldest->bytes;
  }
  return bytes;
}

}  // namespace gcsflux::internal
