// One object over many connections: written in parts; read in any place, and from front to back.
#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"

namespace gcsflux::campaign {
namespace {

Result<std::string> LendAll(ObjectReader& reader) {
  std::string bytes;
  while (reader.position() < reader.size()) {
    const auto lent = reader.NextView();
    if (!lent) return lent.error();
    bytes.append(reinterpret_cast<const char*>(lent->data()), lent->size());
  }
  if (auto whole = reader.VerifyWhole(); !whole) return whole.error();
  return bytes;
}

// All from front to back, in pieces of any length.
Result<std::string> ReadOn(Worker& worker, ObjectReader& reader) {
  std::string bytes(static_cast<std::size_t>(reader.size()), '\0');
  while (reader.position() < reader.size()) {
    const auto rest = std::as_writable_bytes(std::span(bytes)).subspan(static_cast<std::size_t>(reader.position()));
    const auto read = reader.ReadNext(rest.first(std::min(rest.size(), 1 + worker.chance().Below(rest.size()))));
    if (!read) return read.error();
  }
  if (auto whole = reader.VerifyWhole(); !whole) return whole.error();
  return bytes;
}

// Bytes that are received a second time are not verified: so this is only for undamaged transfers.
void ReadRanges(Worker& worker, const Slot& slot, const ObjectReader& reader, const RandomStop& stop) {
  const std::size_t size = slot.state()->content.size();
  for (std::size_t i = worker.chance().Below(5); i > 0 && size > 0; --i) {
    const std::size_t offset = worker.chance().Below(size);
    std::string room(1 + worker.chance().Below(size - offset), '\0');
    const auto read = reader.ReadAt(offset, std::as_writable_bytes(std::span(room)));
    if (!worker.Check(read, stop)) return;
    CheckBytes(slot.object, room, slot.state()->content, offset, room.size());
  }
}

void ReadAtRandom(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  auto reader = ObjectReader::Open(worker.client(), slot.object,
                                   {.max_concurrency = 1 + static_cast<int>(worker.chance().Below(4)),
                                    .range_bytes = 1'000 + worker.chance().Below(300'000),
                                    .read_ahead_bytes = 1 + worker.chance().Below(1'000'000),
                                    .tail_bytes = worker.chance().Below(100'000),
                                    .stop = stop.token()});
  if (!worker.Check(reader, stop, {.with = {ErrorCode::kBadResponse}})) return;  // falseLength truncates JSON too
  if (!slot.is_checked()) ReadRanges(worker, slot, *reader, stop);
  const auto bytes = worker.chance().OneIn(2) ? LendAll(*reader) : ReadOn(worker, *reader);
  MayFail may;
  if (slot.is_checked()) may.with = {ErrorCode::kCorrupted};
  if (worker.Check(bytes, stop, may)) CheckBytes(slot.object, *bytes, slot.state()->content);
}

// Usually a part and a little more, so that it is a multipart upload and a compose.
void WriteOverManyConnections(Worker& worker) {
  constexpr std::size_t kPart = 5 << 20;
  Slot& slot = worker.AnySlot();
  Version version = worker.NewVersion(100'000);
  if (!worker.chance().OneIn(4)) version.content.pieces.front().size += kPart;
  const RandomStop stop(worker.chance());
  UploadOptions options{.attributes = AttributesOf(version),
                        .stop = stop.token(),
                        .part_bytes = kPart,
                        .part_memory_bytes = 2 * kPart,
                        .max_concurrency = 2};
  if (worker.chance().OneIn(2)) {
    options.mode = slot.is_there() ? WriteMode::kReplace : WriteMode::kCreate;
    options.generation = slot.is_there() ? slot.state()->generation : 0;
  }
  ObjectWriter writer(worker.client(), slot.object, options);
  const auto written = [&]() -> Result<ObjectMetadata> {
    if (auto fed = writer.Write(AsBytes(version.content.Render())); !fed) return fed.error();
    return writer.Close();
  }();
  worker.Conclude(slot, version, written, stop, {.with = {ErrorCode::kCorrupted, ErrorCode::kSessionLost}});
}

}  // namespace

std::vector<Operation> StreamOperations() {
  return {{"read at random", 6, ReadAtRandom}, {"write over many", 1, WriteOverManyConnections}};
}

}  // namespace gcsflux::campaign
