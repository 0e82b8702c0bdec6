// Writes in one call: of memory, of files, by parts.
#include <fstream>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/upload.h"
#include "support/object_of.h"

namespace gcsflux::campaign {
namespace {

constexpr std::size_t kWriteChunk = 256 << 10;
const MayFail kMayBeCorrupted{.with = {ErrorCode::kCorrupted}, .leaves_nothing = true};

UploadOptions OptionsFor(const Version& version, const RandomStop& stop) {
  return {.attributes = AttributesOf(version), .chunk_bytes = kWriteChunk, .stop = stop.token()};
}

void Overwrite(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = worker.NewVersion();
  const RandomStop stop(worker.chance());
  const auto stored =
      UploadObject(worker.client(), slot.object, AsBytes(version.content.Render()), OptionsFor(version, stop));
  worker.Conclude(slot, version, stored, stop, kMayBeCorrupted);
}

void Create(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = worker.NewVersion();
  const RandomStop stop(worker.chance());
  UploadOptions options = OptionsFor(version, stop);
  options.mode = WriteMode::kCreate;
  const auto stored = UploadObject(worker.client(), slot.object, AsBytes(version.content.Render()), options);
  if (!slot.is_there()) return worker.Conclude(slot, version, stored, stop, kMayBeCorrupted);
  const MayFail may{.with = {ErrorCode::kPreconditionFailed, ErrorCode::kCorrupted, ErrorCode::kBadResponse}};
  if (worker.Check(stored, stop, may)) throw Violation(ToUri(slot.object) + " was replaced by kCreate");
  // If it is still at the service, it succeeds once the object is deleted.
  if (stored.error().code == ErrorCode::kCancelled) worker.Retire(slot);
}

void Replace(Worker& worker) {
  Slot* const slot = worker.StoredSlot();
  if (slot == nullptr) return;
  const Version version = worker.NewVersion();
  const bool is_outdated = worker.chance().OneIn(4);
  const RandomStop stop(worker.chance());
  UploadOptions options = OptionsFor(version, stop);
  options.mode = WriteMode::kReplace;
  options.generation = slot->state()->generation - (is_outdated ? 1 : 0);
  const auto stored = UploadObject(worker.client(), slot->object, AsBytes(version.content.Render()), options);
  if (!is_outdated) return worker.Conclude(*slot, version, stored, stop, kMayBeCorrupted);
  const MayFail may{.with = {ErrorCode::kPreconditionFailed, ErrorCode::kCorrupted, ErrorCode::kBadResponse}};
  if (worker.Check(stored, stop, may)) throw Violation(ToUri(slot->object) + " was replaced, though it is newer");
}

void UploadFromFile(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = worker.NewVersion();
  std::string name = worker.prefix();
  name.back() = '-';
  const std::string path = worker.common().directory / (name + "file");
  std::ofstream(path) << version.content.Render();
  const RandomStop stop(worker.chance());
  const auto stored = testing::ObjectOf(UploadFile(worker.client(), path, slot.object, OptionsFor(version, stop)));
  worker.Conclude(slot, version, stored, stop, kMayBeCorrupted);
}

void Insert(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = worker.NewVersion(100'000);
  const bool is_conditional = worker.chance().OneIn(2);
  const RandomStop stop(worker.chance());
  InsertObjectOptions options{.attributes = AttributesOf(version), .stop = stop.token()};
  if (is_conditional) options.preconditions.if_generation_match = slot.is_there() ? slot.state()->generation : 0;
  const auto stored = worker.client().InsertObject(slot.object, AsBytes(version.content.Render()), options);
  // After a retry of a lost answer, its own success fails the condition.
  const ErrorCode own = is_conditional ? ErrorCode::kPreconditionFailed : ErrorCode::kCorrupted;
  worker.Conclude(slot, version, stored, stop, {.at_once = !is_conditional, .with = {own, ErrorCode::kCorrupted}});
}

void UploadByParts(Worker& worker) {
  constexpr std::size_t kPart = 5 << 20;
  Slot& slot = worker.AnySlot();
  Version version = worker.NewVersion(100'000);
  if (worker.chance().OneIn(2)) version.content.pieces.front().size += kPart;
  const RandomStop stop(worker.chance());
  ObjectWriter writer(worker.client(), slot.object,
                      {.attributes = AttributesOf(version),
                       .stop = stop.token(),
                       .part_bytes = kPart,
                       .max_concurrency = 2,
                       .path = WritePath::kParallel,
                       .is_private_name = true});
  const std::string bytes = version.content.Render();
  const auto written = writer.Write(AsBytes(bytes));
  const auto stored = written ? writer.Close() : Result<ObjectMetadata>(written.error());
  worker.Conclude(slot, version, stored, stop, {.with = {ErrorCode::kCorrupted, ErrorCode::kSessionLost}});
}

}  // namespace

std::vector<Operation> WriteOperations() {
  return {{"overwrite", 8, Overwrite},          {"create", 6, Create}, {"replace", 4, Replace},
          {"upload a file", 3, UploadFromFile}, {"insert", 6, Insert}, {"upload by parts", 1, UploadByParts}};
}

}  // namespace gcsflux::campaign
