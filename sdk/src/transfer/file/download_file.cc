#include "gcsflux/download_file.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/exceptions_as_errors.h"
#include "base/object_name.h"
#include "base/option_range.h"
#include "base/process/own_descriptors.h"
#include "base/process/owner_process.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "transfer/file/decompressed_file.h"
#include "transfer/file/partial_file.h"
#include "transfer/object_reader/reader_core.h"

namespace gcsflux {
namespace {

using internal::PartialFile;
using internal::PartialRange;
using internal::PartialState;
using internal::Range;

// If the process is killed, this many bytes, and those that were not written yet, must be read again.
constexpr std::uint64_t kBytesBetweenSaves = 8U << 20;
// The most bytes that were fetched and are not written yet. With less, connections idle if first bytes are slow.
constexpr std::uint64_t kBytesAhead = 128U << 20;

Error At(const ObjectName& object, ErrorCode code, const std::string& what) {
  return Error{code, "objects.get " + ToUri(object) + ": " + what};
}

// The download of one generation into one file. The client's loops read, and the calling thread writes.
class FileDownload {
 public:
  FileDownload(const Client& client, const DownloadSource& source, const DownloadFileOptions& options,
               PartialFile& file, internal::ReaderCore& reader)
      : client_(client), source_(source), options_(options), file_(file), reader_(reader) {}

  // After a failure the file holds its progress.
  Result<ReadSummary> Run() {
    const internal::UsesOwnDescriptors uses;
    if (auto begun = Begin(); !begun) return begun.error();
    const auto read = ReadMissing();
    if (!owner_.IsCurrent()) return owner_.Refuse(("the download of " + ToUri(source_.object)).c_str());
    if (!read) return Leave(read.error());
    const std::uint32_t crc32c = state_.WholeCrc32c();
    const auto checked = reader_.object().CheckWhole(crc32c);
    if (!checked) return Leave(checked.error());
    const auto is_compressed = IsCompressed();
    if (!is_compressed) return Leave(is_compressed.error());
    const PartialFile::CommitOptions options{
        .size = source_.size, .may_replace = options_.may_replace, .is_durable = options_.is_durable};
    const auto committed =
        *is_compressed ? internal::CommitDecompressed(file_, options, options_.stop) : file_.Commit(options);
    if (!committed) return Leave(committed.error());
    const auto expected = reader_.object().whole_crc32c();
    return ReadSummary{.bytes = source_.size - kept_bytes_,
                       .generation = source_.generation,
                       .object_size = source_.size,
                       .crc32c = crc32c,
                       .is_verified = expected.has_value(),
                       .is_decompressed = *is_compressed,
                       .object_crc32c = expected};
  }

 private:
  // A listing does not tell. So only objects whose bytes could be gzip data are looked up.
  Result<bool> IsCompressed() {
    if (!options_.decompress_gzip || !internal::BeginsAsGzip(file_)) return false;
    const auto found = client_.GetObject(source_.object, {.generation = source_.generation,
                                                          .encryption_key = options_.encryption_key,
                                                          .fields = "contentEncoding",
                                                          .call = options_.call,
                                                          .stop = options_.stop});
    if (!found) return found.error();
    return found->content_encoding == "gzip";
  }

  Result<void> Begin() {
    const std::string uri = ToUri(source_.object);
    auto left = file_.Load();
    if (left && left->uri == uri && left->generation == source_.generation && left->size == source_.size) {
      state_ = *std::move(left);
      return {};
    }
    state_ = internal::StartOf(uri, source_.generation, source_.size, options_.range_bytes);
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

  Result<void> ReadMissing() {
    std::vector<Range> missing;  // Neighbours are one.
    for (std::size_t i = 0; i < state_.ranges.size(); ++i) {
      if (auto checked = CheckKept(i); !checked) return checked;
      const std::uint64_t done = state_.ranges[i].done_bytes;
      const Range rest{state_.OffsetOf(i) + done, state_.LengthOf(i) - done};
      if (rest.length == 0) continue;
      if (!missing.empty() && missing.back().end() == rest.offset) {
        missing.back().length += rest.length;
      } else {
        missing.push_back(rest);
      }
    }
    for (const Range& range : missing) {
      const bool is_one_request = range.length <= options_.range_bytes || !reader_.is_usable();
      if (auto read = is_one_request ? ReadHere(range) : ReadAhead(range); !read) return read;
    }
    return {};
  }

  // Bytes in the file are used only if their checksum is right: after a power failure some of them may be lost.
  Result<void> CheckKept(std::size_t index) {
    PartialRange& range = state_.ranges[index];
    if (range.done_bytes == 0) return {};
    const auto crc32c = file_.Checksum(state_.OffsetOf(index), range.done_bytes);
    if (!crc32c || *crc32c != range.crc32c) {
      range = {};
      return {};
    }
    kept_bytes_ += range.done_bytes;
    return Tell(range.done_bytes);
  }

  // On this thread, without a copy. Run() checks the whole file.
  Result<void> ReadHere(const Range& range) {
    const internal::RangeSink write = [this](std::uint64_t at, std::span<const std::byte> data) {
      return Write(at, data);
    };
    const auto read = reader_.object().ReadRange(range, {.sink = write, .sums_itself = true}, options_.stop);
    if (!read) return read.error();
    return {};
  }

  Result<void> ReadAhead(const Range& range) {
    reader_.SeekWithin(range);
    while (reader_.position() < range.end()) {
      const std::uint64_t at = reader_.position();
      const auto data = reader_.NextView();
      if (!data) {
        KeepArrived();
        return data.error();
      }
      for (std::size_t done = 0; done < data->size();) {
        constexpr std::size_t kAtOnce = 1U << 20;  // Progress is told, and saved, after each.
        const auto part = data->subspan(done, std::min(kAtOnce, data->size() - done));
        if (auto written = Write(at + done, part); !written) return written;
        done += part.size();
      }
    }
    return {};
  }

  // What has come is written, as far as it continues the bytes of its ranges. After options::stop, only some of it.
  void KeepArrived() {
    std::uint64_t kept = 0;
    for (const auto& arrived : reader_.TakeArrived()) {
      const Range came{arrived.chunk->range.offset, arrived.bytes.size()};
      for (std::uint64_t at = came.offset;
           at < came.end() && (kept < kBytesBetweenSaves || !options_.stop.stop_requested());) {
        const auto index = static_cast<std::size_t>(at / state_.range_bytes);
        const std::uint64_t next = state_.OffsetOf(index) + state_.ranges[index].done_bytes;
        const std::uint64_t end = std::min(came.end(), state_.OffsetOf(index) + state_.LengthOf(index));
        if (next >= at && next < end) {
          const auto data =
              arrived.bytes.subspan(static_cast<std::size_t>(next - came.offset), static_cast<std::size_t>(end - next));
          if (!file_.Write(next, data)) return;
          Note(next, data);
          kept += data.size();
        }
        at = end;
      }
    }
  }

  // The bytes are in the file.
  void Note(std::uint64_t at, std::span<const std::byte> data) {
    while (!data.empty()) {
      const auto index = static_cast<std::size_t>(at / state_.range_bytes);
      const std::uint64_t left = state_.OffsetOf(index) + state_.LengthOf(index) - at;
      const auto part = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), left)));
      PartialRange& range = state_.ranges[index];
      range.crc32c = internal::ExtendCrc32c(range.crc32c, part);
      range.done_bytes += part.size();
      at += part.size();
      data = data.subspan(part.size());
    }
  }

  Result<void> Write(std::uint64_t at, std::span<const std::byte> data) {
    if (auto written = file_.Write(at, data); !written) return written;
    Note(at, data);
    // If the file cannot be written, the writes of its bytes show it, not this one.
    if ((unsaved_bytes_ += data.size()) >= kBytesBetweenSaves) {
      unsaved_bytes_ = 0;
      static_cast<void>(file_.Save(state_));
    }
    return Tell(data.size());
  }

  Result<void> Tell(std::uint64_t more_bytes) {
    told_bytes_ += more_bytes;
    return internal::TellProgress(options_.on_progress, {told_bytes_, source_.size});
  }

  // After a failure: keeps the bytes that a later download can use.
  Error Leave(const Error& error) {
    const bool is_final = error.code == ErrorCode::kCorrupted || error.code == ErrorCode::kAborted ||
                          error.code == ErrorCode::kNotFound || error.code == ErrorCode::kAlreadyExists ||
                          error.code == ErrorCode::kUnverified || error.code == ErrorCode::kUndecodable;
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
  internal::ReaderCore& reader_;
  const internal::OwnerProcess owner_;
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t told_bytes_ = 0;
  std::uint64_t unsaved_bytes_ = 0;
  PartialState state_;
};

std::shared_ptr<internal::ReaderCore> MakeReader(const Client& client, const DownloadSource& source,
                                                 const DownloadFileOptions& options) {
  const ObjectReaderOptions reading{.encryption_key = options.encryption_key,
                                    .max_concurrency = options.max_concurrency,
                                    .range_bytes = options.range_bytes,
                                    .read_ahead_bytes = kBytesAhead,
                                    .reads_whole = true,
                                    .tail_bytes = 0,
                                    .call = options.call,
                                    .stop = options.stop};
  return internal::OwnedByProcess(std::make_unique<internal::ReaderCore>(
      client, source, reading, /*answered_in=*/std::nullopt, internal::ReaderCore::AfterStop::kKeepsArrived));
}

Result<void> CheckArguments(const std::string& path, const DownloadFileOptions& options) {
  const auto wrong = [](std::string why) { return Error{ErrorCode::kInvalidArgument, std::move(why)}; };
  if (path.empty() || path.ends_with('/')) return wrong("'" + path + "' names no file");
  if (path.find('\0') != std::string::npos) return wrong("a file's name holds no byte 0");
  if (options.range_bytes < 1) return wrong("DownloadFileOptions::range_bytes must be at least 1");
  if (auto checked = internal::CheckRanges(
          {{"DownloadFileOptions::max_concurrency", internal::RangeOf("max_concurrency"), options.max_concurrency}});
      !checked)
    return checked;
  return internal::CheckLength(path);
}

}  // namespace

Result<ReadSummary> DownloadListed(const Client& client, const DownloadSource& source, const std::string& path,
                                   const DownloadFileOptions& options) {
  if (auto checked = CheckArguments(path, options); !checked) return checked.error();
  if (auto checked = internal::CheckObject(source.object); !checked) return checked.error();
  if (!options.may_replace) {
    if (auto is_free = internal::CheckFree(path); !is_free) return is_free.error();
  }
  return internal::ExceptionsAsErrors([&]() -> Result<ReadSummary> {
    constexpr int kTries = 2;  // Corrupted data is read once more: it may have been damaged in transit.
    // The second read must have the checksum that an answer to the first one gave.
    const auto reader = MakeReader(client, source, options);
    for (int tried = 1;; ++tried) {
      const auto file = PartialFile::Open(path);
      if (!file) return file.error();
      auto read = FileDownload(client, source, options, **file, *reader).Run();
      if (read || read.error().code != ErrorCode::kCorrupted || tried == kTries) return read;
    }
  });
}

Result<ReadSummary> DownloadFile(const Client& client, const ObjectName& object, const std::string& path,
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
