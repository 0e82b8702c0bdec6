#include "transfer/upload/source_parts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/crc32c.h"
#include "base/tell_progress.h"
#include "client/client_core.h"
#include "transfer/upload/insert_call.h"
#include "transfer/upload/part_buffers.h"
#include "transfer/upload/part_bytes.h"

namespace gcsflux::internal {
namespace {

std::uint64_t DivideUp(std::uint64_t bytes, std::uint64_t by) { return bytes / by + (bytes % by > 0 ? 1 : 0); }

}  // namespace

std::uint64_t SourcePartBytes(std::uint64_t size, const UploadOptions& options) {
  const auto connections = static_cast<std::uint64_t>(options.max_concurrency);
  const std::uint64_t rounds = std::max<std::uint64_t>(1, DivideUp(size, options.part_bytes * connections));
  return std::max({DivideUp(size, rounds * connections), kLeastPartBytes, DivideUp(size, kMostParts)});
}

Result<PathChoice> SourceParts::Begin() {
  part_bytes_ = SourcePartBytes(upload_.source.size(), upload_.options);
  if (part_bytes_ > upload_.options.part_memory_bytes) {
    return PathChoice{WritePath::kOneStream, "10000 parts within part_memory_bytes do not hold the source"};
  }
  if (auto checked = CheckLive(); !checked) return checked.error();
  auto choice = parts_.Begin();
  if (!choice || choice->path == WritePath::kOneStream) {
    parts_.Cancel();
    return choice;
  }
  PartsState state = parts_.state();
  state.part_bytes = part_bytes_;
  if (auto saved = upload_.Save(FormatPartsState(state)); !saved) return saved.error();
  return choice;
}

// The compose checks the precondition. This look saves the transfer of parts that would be refused.
Result<void> SourceParts::CheckLive() {
  const UploadOptions& options = upload_.options;
  if (options.mode == WriteMode::kOverwrite) return {};
  const auto live =
      upload_.client.GetObject(upload_.object, {.fields = "generation", .call = options.call, .stop = options.stop});
  if (!live || (options.mode == WriteMode::kReplace && live->generation == options.generation)) return {};
  return InCall(InsertCall(upload_.object, options),
                {ErrorCode::kPreconditionFailed, "generation " + std::to_string(live->generation) +
                                                     " is live under the name: another writer wrote it; nothing is "
                                                     "sent"});
}

Result<void> SourceParts::Continue(const PartsState& state) {
  part_bytes_ = state.part_bytes;
  auto found = parts_.Continue(state);
  if (found && !parts_.joined()) found = CheckLive();
  if (!found) return Leave(found.error());
  return found;
}

Result<ObjectMetadata> SourceParts::Finish() {
  auto stored = SendAndCommit();
  if (!stored) return Leave(stored.error());
  parts_.Cancel();  // Deletes a temporary object that the commit has left.
  if (auto forgotten = upload_.Forget(); !forgotten) return forgotten.error();
  return stored;
}

Result<ObjectMetadata> SourceParts::SendAndCommit() {
  if (parts_.joined()) {
    if (auto checked = CheckJoined(); !checked) return checked.error();
    return parts_.Commit();
  }
  if (auto sent = SendParts(); !sent) return sent.error();
  if (auto unchanged = upload_.source.CheckUnchanged(); !unchanged) return unchanged.error();
  auto joined = parts_.Join(upload_.source.size());
  if (!joined || upload_.options.is_private_name) return joined;
  return parts_.Commit();
}

// This thread reads the parts, and the loops send them.
Result<void> SourceParts::SendParts() {
  std::map<int, ListedPart> held;
  for (const ListedPart& part : parts_.held()) held.emplace(part.number, part);
  const std::uint64_t in_flight = part_bytes_ * static_cast<std::uint64_t>(upload_.options.max_concurrency);
  const auto buffers = std::make_shared<PartBuffers>(std::min(upload_.options.part_memory_bytes, in_flight));
  const auto tell = [this] { return TellProgress(); };
  for (int number = 1; PartStart(number) < upload_.source.size() && !parts_.failure(); ++number) {
    auto part = ReadPart(number, buffers);
    if (!part) return part.error();
    if (auto told = tell(); !told) return told;
    const auto kept = held.find(number);
    if (kept == held.end() || kept->second.size != part->bytes.size()) {
      parts_.Post([part = *std::move(part)]() -> Result<std::optional<QueuedPart>> { return std::optional(part); });
      continue;
    }
    if (auto noted = parts_.Keep(kept->second, ExtendCrc32c(0, part->bytes)); !noted) return noted;
    kept_bytes_ += part->bytes.size();
  }
  return parts_.AwaitParts(tell);
}

// Waits for memory, unless the source is in memory.
Result<QueuedPart> SourceParts::ReadPart(int number, const std::shared_ptr<PartBuffers>& buffers) const {
  const std::uint64_t offset = PartStart(number);
  const auto length = static_cast<std::size_t>(std::min(part_bytes_, upload_.source.size() - offset));
  if (const auto all = upload_.source.memory()) {
    return QueuedPart{number, all->subspan(static_cast<std::size_t>(offset), length)};
  }
  std::shared_ptr<PartBuffer> buffer(
      buffers->Take(static_cast<std::size_t>(part_bytes_)).release(),
      [buffers](PartBuffer* used) { buffers->GiveBack(std::unique_ptr<PartBuffer>(used)); });
  buffer->size = length;
  if (auto read = upload_.source.ReadInto(offset, {buffer->memory.get(), length}); !read) return read.error();
  return QueuedPart{number, buffer->bytes(), buffer};
}

Result<void> SourceParts::TellProgress() {
  const std::uint64_t bytes = kept_bytes_ + parts_.stored_bytes();
  if (bytes == std::exchange(told_bytes_, bytes)) return {};
  return internal::TellProgress(upload_.options.on_progress, {bytes, upload_.source.size()});
}

// Whether an object that an earlier call has joined holds this source.
Result<void> SourceParts::CheckJoined() {
  const ObjectMetadata& joined = *parts_.joined();
  const auto crc32c = ChecksumOf(upload_.source, upload_.source.size(), upload_.options.stop);
  if (!crc32c) return crc32c.error();
  if (auto unchanged = upload_.source.CheckUnchanged(); !unchanged) return unchanged.error();
  if (joined.crc32c != *crc32c || joined.size != upload_.source.size()) {
    return InCall(InsertCall(upload_.object, upload_.options),
                  {ErrorCode::kCorrupted, "the service has other bytes of an earlier upload"});
  }
  kept_bytes_ = upload_.source.size();
  return {};
}

Error SourceParts::Leave(const Error& error) {
  if (upload_.is_resumable() && KeepsUpload(error)) {
    parts_.Suspend();
    return error;
  }
  parts_.Cancel();
  static_cast<void>(upload_.Forget());
  return error;
}

bool CanContinue(const SourceUpload& upload, const PartsState& state) {
  return state.part_bytes <= upload.options.part_memory_bytes && upload.options.path != WritePath::kOneStream;
}

}  // namespace gcsflux::internal
