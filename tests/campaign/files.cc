// Files that are sent resumably: stopped in between, and resumed until they are stored.
#include <fstream>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/upload.h"

namespace gcsflux::campaign {
namespace {

constexpr std::size_t kPart = 8 << 20;
constexpr std::size_t kLarge = kLeastParallelUpload + 1;

std::string WriteFile(const Worker& worker, const Version& version) {
  std::string name = worker.prefix();
  name.back() = '-';
  std::string path = worker.common().directory / (name + "resumable");
  std::ofstream(path) << version.content.Render();
  return path;
}

UploadOptions OptionsFor(Worker& worker, const Slot& slot, const Version& version) {
  UploadOptions options;
  options = {.attributes = AttributesOf(version),
             .chunk_bytes = kPart,
             .part_bytes = kPart,
             .part_memory_bytes = 2 * kPart,
             .max_concurrency = 2};
  if (worker.chance().OneIn(2)) return options;
  options.mode = slot.is_there() ? WriteMode::kReplace : WriteMode::kCreate;
  options.generation = slot.is_there() ? slot.state()->generation : 0;
  return options;
}

// Each call but the last one is stopped before all parts are sent: so none of these has changed the object.
Result<ObjectMetadata> UploadUntilDone(Worker& worker, const Slot& slot, const std::string& path,
                                       UploadOptions options) {
  std::string state;
  options.save_state = [&state](const std::string& saved) { state = saved; };
  for (std::size_t stops = worker.chance().Below(4);; --stops) {
    RandomStop stop;
    const std::uint64_t most = worker.chance().Below(kLarge / 2);
    options.state = state;
    options.stop = stop.token();
    options.on_progress = [&](const Progress& progress) {
      if (stops > 0 && progress.total > kLarge && progress.bytes >= most) stop.Stop();
    };
    auto stored = UploadFile(worker.client(), path, slot.object, options);
    if (stored) return std::move(stored->object);
    if (stored.error().code != ErrorCode::kCancelled) return stored.error();
    worker.Check(stored, stop);
  }
}

// So that other operations do not read it.
void FindAndDelete(Worker& worker, Slot& slot) {
  Find(worker.client(), slot);
  const RandomStop stop(worker.chance());
  const auto deleted =
      worker.client().DeleteObject(slot.object, {.generation = slot.state()->generation, .stop = stop.token()});
  worker.ConcludeDeletion(slot, deleted, stop);
}

void UploadResumably(Worker& worker) {
  Slot& slot = worker.AnySlot();
  Version version = worker.NewVersion(100'000);
  const bool is_large = worker.chance().OneIn(2);
  if (is_large) version.content.pieces.front().size += kLarge;
  const std::string path = WriteFile(worker, version);
  const auto stored = UploadUntilDone(worker, slot, path, OptionsFor(worker, slot, version));
  const MayFail may{.with = {ErrorCode::kCorrupted, ErrorCode::kSessionLost}};
  worker.Conclude(slot, version, stored, RandomStop(), may);
  const bool is_stored = slot.is_there() && slot.state()->tag == version.tag;
  if (is_large && is_stored) FindAndDelete(worker, slot);
}

}  // namespace

std::vector<Operation> FileOperations() { return {{"upload resumably", 2, UploadResumably}}; }

}  // namespace gcsflux::campaign
