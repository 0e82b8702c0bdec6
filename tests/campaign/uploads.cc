// Streams of unknown length: written piece by piece, finished, abandoned, or resumed by another client.
#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/upload.h"

namespace gcsflux::campaign {
namespace {

constexpr std::size_t kChunk = 256 << 10;
const MayFail kMayBeLost{.with = {ErrorCode::kSessionLost, ErrorCode::kCorrupted}, .leaves_nothing = true};

UploadOptions OptionsFor(Worker& worker, const Slot& slot, const Version& version, const RandomStop& stop) {
  UploadOptions options{.attributes = AttributesOf(version), .chunk_bytes = kChunk, .stop = stop.token()};
  if (worker.chance().OneIn(2)) return options;
  options.mode = slot.is_there() ? WriteMode::kReplace : WriteMode::kCreate;
  options.generation = slot.is_there() ? slot.state()->generation : 0;
  return options;
}

UploadOptions OneStream(UploadOptions options) {
  options.path = WritePath::kOneStream;
  return options;
}

// Long enough for several chunks, some of the time.
Version NewStream(Worker& worker) {
  Version version = worker.NewVersion();
  if (worker.chance().OneIn(3)) version.content.pieces.front().size += worker.chance().Below(4 * kChunk);
  return version;
}

// From the writer's position to `end`, in pieces of any length.
Result<void> Feed(Worker& worker, ObjectWriter& writer, std::string_view content, std::size_t end) {
  while (writer.position() < end) {
    const std::size_t at = writer.position();
    const std::size_t size = std::min(end - at, 1 + worker.chance().Below(2 * kChunk));
    if (auto written = writer.Write(AsBytes(content.substr(at, size))); !written) return written;
  }
  return {};
}

Result<ObjectMetadata> FeedAndClose(Worker& worker, ObjectWriter& writer, std::string_view content) {
  if (auto fed = Feed(worker, writer, content, content.size()); !fed) return fed.error();
  return writer.Close();
}

void Stream(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = NewStream(worker);
  const RandomStop stop(worker.chance());
  ObjectWriter writer(worker.client(), slot.object, OneStream(OptionsFor(worker, slot, version, stop)));
  worker.Conclude(slot, version, FeedAndClose(worker, writer, version.content.Render()), stop, kMayBeLost);
}

void StreamAndGiveUp(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = NewStream(worker);
  const std::string content = version.content.Render();
  const RandomStop stop(worker.chance());
  {
    ObjectWriter writer(worker.client(), slot.object, OneStream(OptionsFor(worker, slot, version, stop)));
    worker.Check(Feed(worker, writer, content, worker.chance().Below(content.size() + 1)), stop, kMayBeLost);
    if (worker.chance().OneIn(2)) writer.Cancel();
  }
  Find(worker.client(), slot);  // The old content remains.
}

Result<ObjectMetadata> StreamByTwo(Worker& worker, const Slot& slot, const Version& version, const RandomStop& stop) {
  const std::string content = version.content.Render();
  ObjectWriter first(worker.client(), slot.object, OneStream(OptionsFor(worker, slot, version, stop)));
  if (auto fed = Feed(worker, first, content, worker.chance().Below(content.size() + 1)); !fed) return fed.error();
  const auto state = first.Suspend();
  if (!state) return state.error();
  const auto other = Client::Create(worker.common().options);
  if (!other) return other.error();
  auto second = ObjectWriter::Resume(*other, *state, {.stop = stop.token()});
  if (!second) return second.error();
  return FeedAndClose(worker, *second, content);
}

void SuspendAndResume(Worker& worker) {
  Slot& slot = worker.AnySlot();
  const Version version = NewStream(worker);
  const RandomStop stop(worker.chance());
  worker.Conclude(slot, version, StreamByTwo(worker, slot, version, stop), stop, kMayBeLost);
}

}  // namespace

std::vector<Operation> UploadOperations() {
  return {
      {"stream", 6, Stream}, {"stream and give up", 2, StreamAndGiveUp}, {"suspend and resume", 3, SuspendAndResume}};
}

}  // namespace gcsflux::campaign
