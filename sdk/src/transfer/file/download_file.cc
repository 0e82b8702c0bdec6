#include "gcsflux/download_file.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "base/option_range.h"
#include "base/process/mutex.h"
#include "base/process/own_descriptors.h"
#include "base/process/owner_process.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "client/object_read.h"
#include "client/reported_checksum.h"
#include "transfer/file/partial_file.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace {

using internal::PartialFile;
using internal::PartialRange;
using internal::PartialState;

// If the process is killed, this many bytes, and those in flight, must be read again.
constexpr std::uint64_t kBytesBetweenSaves = 8U << 20;

Error At(const ObjectName& object, ErrorCode code, const std::string& what) {
  return Error{code, "objects.get " + ToUri(object) + ": " + what};
}

// The download of one generation into one file. Several threads read its ranges.
class FileDownload {
 public:
  FileDownload(const Client& client, const DownloadSource& source, const DownloadFileOptions& options,
               PartialFile& file, internal::ReportedChecksum& reported)
      : client_(client), source_(source), options_(options), file_(file), reported_(reported) {}

  // Returns how many bytes of an earlier download it kept. After a failure the file holds its progress.
  Result<std::uint64_t> Run() {
    const internal::UsesOwnDescriptors uses;
    if (auto begun = Begin(); !begun) return begun.error();
    const auto read = ReadRanges();
    if (!owner_.IsCurrent()) return owner_.Refuse(("the download of " + ToUri(source_.object)).c_str());
    if (!read) return Leave(read.error());
    const auto checked = reported_.CheckWhole(CoreOf(client_), source_.object, source_.crc32c, state_.WholeCrc32c());
    if (!checked) return Leave(checked.error());
    const auto committed =
        file_.Commit({.size = source_.size, .may_replace = options_.may_replace, .is_durable = options_.is_durable});
    if (!committed) return Leave(committed.error());
    return kept_bytes_.load();
  }

 private:
  Result<void> Begin() {
    const std::string uri = ToUri(source_.object);
    auto left = file_.Load();
    if (left && left->uri == uri && left->generation == source_.generation && left->size == source_.size) {
      state_ = *std::move(left);
      return {};
    }
    state_ = internal::StartOf(uri, source_.generation, source_.size, options_.stripe_bytes);
    auto begun = Reserve();
    if (!begun) file_.Discard();  // It is empty.
    return begun;
  }

  // The state is written first: on a disk that becomes full it can then be overwritten, where nothing can be added.
  Result<void> Reserve() {
    // Small files do not fill a disk, and there can be thousands of them.
    const bool is_large = state_.ranges.size() > 1;
    if (auto cleared = file_.Clear(is_large ? source_.size + internal::FormatPartialState(state_).size() : 0); !cleared)
      return cleared;
    return source_.size > 0 ? file_.Save(state_) : Result<void>();
  }

  Result<void> ReadRanges() {
    const std::size_t count = state_.ranges.size();
    const auto read = [this](std::size_t range, const std::stop_token& stop) { return ReadRange(range, stop); };
    if (count == 0) return {};
    if (count == 1) return read(0, options_.stop);
    return internal::RunOnThreads(count, static_cast<std::size_t>(options_.max_concurrency), read, options_.stop,
                                  &CoreOf(client_).observer());
  }

  // Bytes in the file are used only if their checksum is right: after a power failure some of them may be lost.
  Result<void> CheckKept(std::size_t index) {
    const PartialRange range = state_.ranges[index];
    if (range.done_bytes == 0) return {};
    const auto crc32c = file_.Checksum(state_.OffsetOf(index), range.done_bytes);
    if (crc32c && *crc32c == range.crc32c) {
      kept_bytes_ += range.done_bytes;
      return Tell(range.done_bytes);
    }
    Note(index, {});
    return {};
  }

  Result<void> ReadRange(std::size_t index, const std::stop_token& stop) {
    if (auto checked = CheckKept(index); !checked) return checked;
    PartialRange range = state_.ranges[index];
    const std::uint64_t offset = state_.OffsetOf(index);
    const std::uint64_t missing = state_.LengthOf(index) - range.done_bytes;
    if (missing == 0) return {};
    const ByteSink write = [&](std::span<const std::byte> data) -> Result<void> {
      if (auto written = file_.Write(offset + range.done_bytes, data); !written) return written;
      range.crc32c = internal::ExtendCrc32c(range.crc32c, data);
      range.done_bytes += data.size();
      Note(index, range);
      SaveFromTimeToTime(data.size());
      return Tell(data.size());
    };
    // Run() checks the whole file.
    const auto read = internal::ReadInto(CoreOf(client_), source_.object,
                                         {.range = ByteRange{offset + range.done_bytes, missing},
                                          .generation = source_.generation,
                                          .encryption_key = options_.encryption_key,
                                          .call = options_.call,
                                          .stop = stop},
                                         {.sink = write, .capacity = missing, .is_verified_by_caller = true});
    if (!read) return read.error();
    if (read->object_size == source_.size && read->bytes == missing) {
      return reported_.Note(source_.object, read->object_crc32c);
    }
    return At(
        source_.object, ErrorCode::kCorrupted,
        "it has " + std::to_string(read->object_size) + " bytes, and was listed with " + std::to_string(source_.size));
  }

  void Note(std::size_t index, const PartialRange& range) {
    const internal::MutexLock lock(mutex_);
    state_.ranges[index] = range;
  }

  Result<void> Tell(std::uint64_t more_bytes) {
    const std::uint64_t bytes = told_bytes_ += more_bytes;
    return internal::TellProgress(options_.on_progress, {bytes, source_.size});
  }

  // If the file cannot be written, the writes of its bytes show it, not this one.
  void SaveFromTimeToTime(std::uint64_t more_bytes) {
    if ((unsaved_bytes_ += more_bytes) < kBytesBetweenSaves) return;
    const std::unique_lock one_at_a_time(saving_, std::try_to_lock);
    if (!one_at_a_time) return;
    unsaved_bytes_ = 0;
    static_cast<void>(file_.Save(StateNow()));
  }

  PartialState StateNow() {
    const internal::MutexLock lock(mutex_);
    return state_;
  }

  // After a failure: keeps the bytes that a later download can use.
  Error Leave(const Error& error) {
    const bool is_final = error.code == ErrorCode::kCorrupted || error.code == ErrorCode::kAborted ||
                          error.code == ErrorCode::kNotFound || error.code == ErrorCode::kAlreadyExists ||
                          error.code == ErrorCode::kUnverified;
    if (is_final || state_.DoneBytes() == 0) {
      file_.Discard();
    } else {
      static_cast<void>(file_.Save(state_));  // If that fails, the state that was saved before holds.
    }
    return error;
  }

  const Client& client_;
  const DownloadSource& source_;
  const DownloadFileOptions& options_;
  PartialFile& file_;
  const internal::OwnerProcess owner_;
  std::atomic<std::uint64_t> kept_bytes_ = 0;
  std::atomic<std::uint64_t> told_bytes_ = 0;
  std::atomic<std::uint64_t> unsaved_bytes_ = 0;
  internal::ReportedChecksum& reported_;
  std::mutex saving_;  // Held while the state is written; no thread waits for it.
  internal::Mutex mutex_;
  PartialState state_;  // Each range is changed by its thread. Guarded by mutex_ when others read it.
};

Result<void> CheckArguments(const std::string& path, const DownloadFileOptions& options) {
  const auto wrong = [](std::string why) { return Error{ErrorCode::kInvalidArgument, std::move(why)}; };
  if (path.empty() || path.ends_with('/')) return wrong("'" + path + "' names no file");
  if (path.find('\0') != std::string::npos) return wrong("a file's name holds no byte 0");
  if (options.stripe_bytes < 1) return wrong("DownloadFileOptions::stripe_bytes must be at least 1");
  if (auto checked = internal::CheckInRange("DownloadFileOptions::max_concurrency",
                                            internal::RangeOf("max_concurrency"), options.max_concurrency);
      !checked)
    return checked;
  return internal::CheckLength(path);
}

}  // namespace

Result<DownloadedFile> DownloadListed(const Client& client, const DownloadSource& source, const std::string& path,
                                      const DownloadFileOptions& options) {
  if (auto checked = CheckArguments(path, options); !checked) return checked.error();
  if (auto checked = internal::CheckObject(source.object); !checked) return checked.error();
  if (!options.may_replace) {
    if (auto is_free = internal::CheckFree(path); !is_free) return is_free.error();
  }
  constexpr int kTries = 2;             // Corrupted data is read once more: it may have been damaged in transit.
  internal::ReportedChecksum reported;  // The second read must have the checksum that an answer to the first one gave.
  for (int tried = 1;; ++tried) {
    const auto file = PartialFile::Open(path);
    if (!file) return file.error();
    const auto kept_bytes = FileDownload(client, source, options, **file, reported).Run();
    if (kept_bytes) return DownloadedFile{source, *kept_bytes};
    if (kept_bytes.error().code != ErrorCode::kCorrupted || tried == kTries) return kept_bytes.error();
  }
}

Result<DownloadedFile> DownloadFile(const Client& client, const ObjectName& object, const std::string& path,
                                    const DownloadFileOptions& options) {
  if (auto checked = CheckArguments(path, options); !checked) return checked.error();
  const auto found =
      client.GetObject(object, {.encryption_key = options.encryption_key, .call = options.call, .stop = options.stop});
  if (!found) return found.error();
  auto downloaded =
      DownloadListed(client, DownloadSource{object, found->size, found->generation, found->crc32c}, path, options);
  if (downloaded || downloaded.error().code != ErrorCode::kNotFound) return downloaded;
  return At(object, ErrorCode::kAborted, "the object changed or was deleted while it was being downloaded");
}

bool IsPartialFileName(std::string_view name) { return internal::IsPartialName(name); }

}  // namespace gcsflux
