#include "transfer/cache/disk_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/crc32c.h"
#include "base/messages/local_error.h"
#include "base/process/file_size_signal.h"

namespace gcsflux::internal {
namespace {

bool ReadAll(const OwnedFile& file, std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(file.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

std::unique_ptr<CacheDirectory> OpenOr(const CacheOptions& options, const std::function<void(const Error&)>& on_error) {
  auto opened = CacheDirectory::Open(options.directory);
  if (opened) return *std::move(opened);
  on_error(opened.error());
  return nullptr;
}

}  // namespace

DiskCache::DiskCache(const CacheOptions& options, std::string endpoint, std::shared_ptr<CacheTally> tally,
                     OnError on_error)
    : options_(options),
      endpoint_(std::move(endpoint)),
      tally_(std::move(tally)),
      on_error_(std::move(on_error)),
      directory_(OpenOr(options_, [this](const Error& error) { Fail(error); })) {}

// The first one of the dataset is reported: the others follow from it.
void DiskCache::Fail(const Error& error) {
  keeps_more_ = false;
  if (tally_->NoteError(error.message) && on_error_) on_error_(error);
}

std::optional<DiskCache::Opened> DiskCache::Open(const CacheEntry& entry) {
  if (!directory_) return std::nullopt;
  OwnedFile file = directory_->OpenToRead(entry.file_name());
  if (!file) {
    tally_->NoteMiss();
    return std::nullopt;
  }
  std::vector<std::byte> head(entry.head_bytes());
  auto checksums = ReadAll(file, 0, head) ? entry.ParseHead(head) : std::nullopt;
  if (checksums) return Opened{std::move(file), *std::move(checksums)};
  RemoveDamaged(entry);
  return std::nullopt;
}

bool DiskCache::ReadBlock(const CacheEntry& entry, const OwnedFile& file, std::size_t block, std::uint32_t crc32c,
                          std::span<std::byte> into) {
  return ReadAll(file, entry.head_bytes() + block * kCacheBlock, into) && ExtendCrc32c(0, into) == crc32c;
}

void DiskCache::RemoveDamaged(const CacheEntry& entry) {
  tally_->NoteDamaged();
  tally_->NoteMiss();
  directory_->Remove(entry.file_name(), CacheDirectory::OnDisk(entry.file_bytes()));
}

bool DiskCache::Read(const DownloadSource& source, const std::function<Result<std::span<std::byte>>()>& open) {
  const CacheEntry entry(endpoint_, source);
  const auto opened = Open(entry);
  if (!opened) return false;
  std::span<std::byte> into;
  if (entry.size() > 0) {
    const auto memory = open();
    if (!memory) return false;
    into = *memory;
  }
  for (std::size_t block = 0; block < entry.blocks(); ++block) {
    const auto bytes = into.subspan(block * kCacheBlock, static_cast<std::size_t>(entry.BlockBytes(block)));
    if (ReadBlock(entry, opened->file, block, opened->checksums[block], bytes)) continue;
    RemoveDamaged(entry);
    return false;
  }
  directory_->Touch(opened->file);
  tally_->NoteHit(entry.size());
  return true;
}

void DiskCache::Write(const DownloadSource& source, std::span<const std::byte> bytes) {
  const auto entry = Begin(source);
  if (!entry) return;
  entry->Append(bytes);
  entry->Commit();
}

std::unique_ptr<CachedBytes> DiskCache::Find(const DownloadSource& source) {
  CacheEntry entry(endpoint_, source);
  auto opened = Open(entry);
  if (!opened) return nullptr;
  return std::unique_ptr<CachedBytes>(
      new CachedBytes(*this, std::move(entry), std::move(opened->file), std::move(opened->checksums)));
}

std::unique_ptr<NewCacheEntry> DiskCache::Begin(const DownloadSource& source) {
  if (!directory_ || !keeps_more_) return nullptr;
  CacheEntry entry(endpoint_, source);
  // One that would not be kept removes no others.
  if (CacheDirectory::OnDisk(entry.file_bytes()) > options_.max_bytes) return nullptr;
  auto file = directory_->Create(entry.file_bytes());
  if (!file) return Fail(file.error()), nullptr;
  Evicted evicted;
  const bool has_room = directory_->Reserve(*file, options_.max_bytes, evicted);
  tally_->NoteEvicted(evicted);
  if (!has_room) return directory_->Discard(*file, /*is_counted=*/false), nullptr;
  auto made = std::unique_ptr<NewCacheEntry>(new NewCacheEntry(*this, std::move(entry), *std::move(file)));
  if (auto allocated = directory_->Allocate(made->file_); !allocated) return Fail(allocated.error()), nullptr;
  return made;
}

std::optional<std::span<const std::byte>> CachedBytes::Next() {
  if (next_ == entry_.blocks()) {
    cache_.directory_->Touch(file_);
    cache_.tally_->NoteHit(entry_.size());
    return std::span<const std::byte>();
  }
  buffer_.resize(static_cast<std::size_t>(entry_.BlockBytes(next_)));
  if (DiskCache::ReadBlock(entry_, file_, next_, checksums_[next_], buffer_)) return ++next_, buffer_;
  cache_.RemoveDamaged(entry_);
  return std::nullopt;
}

NewCacheEntry::~NewCacheEntry() {
  if (!is_committed_) cache_.directory_->Discard(file_, /*is_counted=*/true);
}

bool NewCacheEntry::Write(std::uint64_t offset, std::span<const std::byte> bytes) {
  const FileSizeSignalBlock block;
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file_.file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      cache_.Fail(LocalError("write into", cache_.directory_->path()));
      has_failed_ = true;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

void NewCacheEntry::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty() && !has_failed_) {
    const std::uint64_t in_block = written_ % kCacheBlock;
    const auto part =
        bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kCacheBlock - in_block)));
    if (written_ + part.size() > entry_.size()) {
      has_failed_ = true;
      return;
    }
    if (in_block == 0) checksums_.push_back(0);
    checksums_.back() = ExtendCrc32c(checksums_.back(), part);
    if (!Write(entry_.head_bytes() + written_, part)) return;
    written_ += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void NewCacheEntry::Commit() {
  if (has_failed_ || written_ != entry_.size() || !Write(0, entry_.Head(checksums_))) return;
  is_committed_ = cache_.directory_->Commit(file_, entry_.file_name());
  if (is_committed_) cache_.tally_->NoteStored(entry_.size());
}

}  // namespace gcsflux::internal
