#include "persistence/body_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;

// Few enough that 100 TB fit into a process's addresses and descriptors, small enough that whole files become empty.
constexpr std::uint64_t kCapacity = std::uint64_t{256} << 20;
// Smaller bodies are not divided between two files.
constexpr std::uint64_t kUndivided = std::uint64_t{4} << 20;

std::string TextOf(int error) { return std::error_code(error, std::generic_category()).message(); }

tl::unexpected<Failure> CannotWrite(int error) {
  return Fail(FailureKind::kUnavailable,
              "The emulator cannot write to its data directory: " + TextOf(error) + ". Nothing was changed.");
}

// Throws, because the directory cannot be used.
[[noreturn]] void Refuse(const fs::path& path, int error) {
  throw std::runtime_error(path.string() + ": " + TextOf(error));
}

// Returns an error number, or 0.
int WriteAll(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

struct ::stat StatOf(int descriptor) {
  struct ::stat status = {};
  if (::fstat(descriptor, &status) != 0) throw DamagedBytes();
  return status;
}

std::uint64_t SpaceOf(int descriptor) { return static_cast<std::uint64_t>(StatOf(descriptor).st_blocks) * 512; }

// The number of a file of bodies: eight digits. Nothing for other files.
std::optional<std::uint32_t> NumberOf(const fs::path& path) {
  const std::string name = path.filename();
  if (name.size() != 8 || !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::stoul(name));
}

constexpr std::byte kNothing = {};

// Bytes that are no longer there.
class LostExtent final : public Extent {
 public:
  using Extent::Extent;
  void CheckReadable() const override { throw DamagedBytes(); }
  [[nodiscard]] bool is_there() const override { return false; }
};

}  // namespace

struct BodyFiles::File {
  std::uint32_t number = 0;
  int descriptor = -1;
  const std::byte* data = nullptr;  // kCapacity bytes, of which those of the file can be read

  // What BodyFiles::mutex_ guards.
  std::uint64_t end = 0;                         // where the next bytes go
  std::uint64_t held = 0;                        // bytes of extents
  std::map<std::uint64_t, std::uint64_t> freed;  // ends of freed ranges, by their begins; they do not touch
  bool is_dirty = false;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (data != nullptr) ::munmap(const_cast<std::byte*>(data), kCapacity);
    if (descriptor >= 0) ::close(descriptor);
  }

  void Punch(std::uint64_t begin, std::uint64_t range_end) const {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t first = (begin + kPage - 1) / kPage * kPage;
    const std::uint64_t last = range_end / kPage * kPage;
    if (first >= last) return;
    // Where a file system cannot do it, the space returns with the whole file.
    (void)::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                      static_cast<off_t>(last - first));
  }

  // Ranges that are holes already are many after a long life, so it looks first whether that is all.
  void PunchFreed() {
    constexpr std::uint64_t kRemainder = 8192;  // the parts of pages that stay at a range's ends
    if (!freed.empty() && freed.rbegin()->second == end) {
      const std::uint64_t last = freed.rbegin()->first;
      if (::ftruncate(descriptor, static_cast<off_t>(last)) == 0) {
        freed.erase(last);
        end = last;
      }
    }
    if (SpaceOf(descriptor) <= held + kRemainder * (freed.size() + 1)) return;
    for (const auto& [begin, range_end] : freed) Punch(begin, range_end);
  }
};

class BodyFiles::FileExtent final : public Extent {
 public:
  FileExtent(BodyFiles& files, File& file, const ExtentPlace& place) : Extent(place), files_(files), file_(file) {}
  ~FileExtent() override { files_.Free(file_, place().offset, place().size); }
  FileExtent(const FileExtent&) = delete;
  FileExtent& operator=(const FileExtent&) = delete;

  void CheckReadable() const override {
    const auto size = static_cast<std::uint64_t>(StatOf(file_.descriptor).st_size);
    if (size < place().offset + place().size) throw DamagedBytes();
  }

 private:
  BodyFiles& files_;
  File& file_;  // is there while it has extents
};

BodyFiles::BodyFiles(fs::path directory, bool syncs) : directory_(std::move(directory)), syncs_(syncs) {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const auto number = NumberOf(entry.path());
    if (!number || !entry.is_regular_file()) continue;
    const FilePtr file = Open(*number, /*is_new=*/false);
    if (file == nullptr) Refuse(entry.path(), errno);
    file->end = static_cast<std::uint64_t>(StatOf(file->descriptor).st_size);
    files_.emplace(*number, file);
    last_number_ = std::max(last_number_, *number);
  }
}

BodyFiles::~BodyFiles() = default;

fs::path BodyFiles::PathOf(std::uint32_t number) const {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "%08u", number);
  return directory_ / name.data();
}

// Null with errno if it cannot be opened.
BodyFiles::FilePtr BodyFiles::Open(std::uint32_t number, bool is_new) {
  auto file = std::make_shared<File>();
  file->number = number;
  file->descriptor = ::open(PathOf(number).c_str(), O_RDWR | O_CLOEXEC | (is_new ? O_CREAT | O_EXCL : 0), 0600);
  if (file->descriptor < 0) return nullptr;
  void* const data = ::mmap(nullptr, kCapacity, PROT_READ, MAP_SHARED, file->descriptor, 0);
  if (data == MAP_FAILED) return nullptr;
  file->data = static_cast<const std::byte*>(data);
  return file;
}

Outcome<Rope> BodyFiles::Write(const Rope& bytes) {
  Rope kept;
  Rope unwritten;  // the bytes after `kept` that are in no file yet
  std::uint64_t at = 0;
  Outcome<void> written;
  const auto write = [&] {
    if (!written || unwritten.size() == 0) return;
    const Outcome<Rope> in_files = WriteNew(std::exchange(unwritten, Rope()));
    in_files ? kept.Append(*in_files) : void(written = tl::unexpected(in_files.error()));
  };
  bytes.ForEachPiece([&](const RopePiece& piece) {
    const Rope here = bytes.Slice(at, piece.size);
    at += piece.size;
    if (!std::holds_alternative<FileRun>(piece.run)) return unwritten.Append(here);
    write();
    kept.Append(here);
  });
  write();
  if (!written) return tl::unexpected(written.error());
  return kept;
}

Outcome<Rope> BodyFiles::WriteNew(const Rope& bytes) {
  Rope kept;
  while (kept.size() < bytes.size()) {
    const Outcome<Allocation> place = Allocate(bytes.size() - kept.size());
    if (!place) return tl::unexpected(place.error());
    std::shared_ptr<const Extent> extent = MakeExtent(place->file, place->offset, place->size);
    std::uint64_t offset = place->offset;
    int error = 0;
    bytes.ForEachSpan(kept.size(), place->size, [&](std::span<const std::byte> span) {
      error = WriteAll(place->file->descriptor, offset, span);
      offset += span.size();
      return error == 0;
    });
    if (error != 0) return CannotWrite(error);  // The extent frees its space.
    MarkDirty(*place->file);
    kept.Append(Rope(std::move(extent), place->offset, place->size));
  }
  return kept;
}

// A place for some of the wanted bytes, at least one.
Outcome<BodyFiles::Allocation> BodyFiles::Allocate(std::uint64_t wanted) {
  while (true) {
    {
      const std::scoped_lock lock(mutex_);
      const std::uint64_t room = current_ != nullptr ? kCapacity - current_->end : 0;
      if (room >= std::min(wanted, kUndivided)) {
        Allocation place{current_, current_->end, std::min(wanted, room)};
        current_->end += place.size;
        current_->held += place.size;
        return place;
      }
      if (const FilePtr full = std::exchange(current_, nullptr)) RemoveIfEmptyLocked(*full);
    }
    if (auto begun = Begin(); !begun) return tl::unexpected(begun.error());
  }
}

Outcome<void> BodyFiles::Begin() {
  const std::scoped_lock begin_lock(begin_mutex_);
  std::uint32_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (current_ != nullptr) return {};  // Another thread has begun one.
    number = ++last_number_;
  }
  const FilePtr file = Open(number, /*is_new=*/true);
  if (file == nullptr) return CannotWrite(errno);
  if (syncs_) {
    const int directory = ::open(directory_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool is_synced = directory >= 0 && ::fsync(directory) == 0;
    const int error = errno;
    if (directory >= 0) ::close(directory);
    if (!is_synced) return CannotWrite(error);
  }
  const std::scoped_lock lock(mutex_);
  files_.emplace(number, file);
  current_ = file;
  return {};
}

// Its bytes count as held already.
std::shared_ptr<const Extent> BodyFiles::MakeExtent(const FilePtr& file, std::uint64_t offset, std::uint64_t size) {
  return std::make_shared<const FileExtent>(*this, *file, ExtentPlace{file->number, offset, size, file->data + offset});
}

void BodyFiles::Free(File& file, std::uint64_t offset, std::uint64_t size) {
  if (!frees_) return;
  FilePtr alive;
  std::uint64_t begin = offset;
  std::uint64_t end = offset + size;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = files_.find(file.number);
    if (found == files_.end()) return;
    alive = found->second;
    file.held -= size;
    auto next = file.freed.lower_bound(begin);
    if (next != file.freed.begin() && std::prev(next)->second == begin) begin = std::prev(next)->first;
    if (next != file.freed.end() && next->first == end) {
      end = next->second;
      file.freed.erase(next);
    }
    file.freed[begin] = end;
    RemoveIfEmptyLocked(file);
  }
  file.Punch(begin, end);
}

// But for the file where the next bytes go.
void BodyFiles::RemoveIfEmptyLocked(const File& file) {
  if (file.held != 0 || current_.get() == &file) return;
  ::unlink(PathOf(file.number).c_str());
  files_.erase(file.number);
}

// Not before all bytes are written: another thread's Sync() may be under way.
void BodyFiles::MarkDirty(File& file) {
  if (!syncs_) return;
  const std::scoped_lock lock(mutex_);
  file.is_dirty = true;
}

Outcome<void> BodyFiles::Sync() {
  if (!syncs_) return {};
  std::vector<FilePtr> dirty;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [number, file] : files_) {
      if (std::exchange(file->is_dirty, false)) dirty.push_back(file);
    }
  }
  int error = 0;
  for (const FilePtr& file : dirty) {
    if (::fdatasync(file->descriptor) != 0) error = errno;
  }
  if (error == 0) return {};
  const std::scoped_lock lock(mutex_);
  for (const FilePtr& file : dirty) file->is_dirty = true;
  return CannotWrite(error);
}

std::vector<std::shared_ptr<const Extent>> BodyFiles::Adopt(const std::vector<FileRange>& ranges) {
  std::vector<std::uint32_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return ranges[a] < ranges[b]; });
  std::vector<std::shared_ptr<const Extent>> extents(ranges.size());
  const std::scoped_lock lock(mutex_);
  std::map<std::uint32_t, std::uint64_t> covered;  // up to where, by file
  for (std::size_t first = 0; first < order.size();) {
    const FileRange& range = ranges[order[first]];
    std::uint64_t end = range.offset + range.size;
    std::size_t last = first + 1;
    for (; last < order.size(); ++last) {  // Composites and copies share bytes.
      const FileRange& other = ranges[order[last]];
      if (other.file != range.file || other.offset >= end) break;
      end = std::max(end, other.offset + other.size);
    }
    std::shared_ptr<const Extent> extent;
    const auto found = files_.find(range.file);
    if (found != files_.end() && end <= found->second->end && end <= kCapacity) {
      std::uint64_t& before = covered[range.file];
      if (before != range.offset) found->second->freed[before] = range.offset;
      before = end;
      found->second->held += end - range.offset;
      extent = MakeExtent(found->second, range.offset, end - range.offset);
    } else {
      extent = std::make_shared<const LostExtent>(ExtentPlace{range.file, range.offset, end - range.offset, &kNothing});
    }
    for (; first < last; ++first) extents[order[first]] = extent;
  }
  for (const auto& [number, file] : files_) {
    const std::uint64_t last = covered[number];
    if (last != file->end) file->freed[last] = file->end;
  }
  return extents;
}

std::uint64_t BodyFiles::Reclaim() {
  std::uint64_t reclaimed = 0;
  const std::scoped_lock lock(mutex_);
  for (auto at = files_.begin(); at != files_.end();) {
    const FilePtr file = (at++)->second;
    const std::uint64_t before = SpaceOf(file->descriptor);
    if (file->held != 0) {
      file->PunchFreed();
      reclaimed += before - std::min(before, SpaceOf(file->descriptor));
    } else {
      reclaimed += before;
      RemoveIfEmptyLocked(*file);
    }
  }
  if (!files_.empty() && files_.rbegin()->second->end < kCapacity) current_ = files_.rbegin()->second;
  return reclaimed;
}

}  // namespace gcsflux::emulator
