// All reads of one object: whole, by range, into memory, as a stream, its metadata.
#include "campaign/operations.h"
#include "campaign/worker.h"

namespace gcsflux::campaign {
namespace {

MayFail ReadOf(const Slot& slot) { return slot.is_checked() ? MayFail{.with = {ErrorCode::kCorrupted}} : MayFail{}; }

void ReadWhole(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  const auto read = worker.client().ReadObject(slot.object, {.stop = stop.token()});
  if (worker.Check(read, stop, ReadOf(slot))) CheckBytes(slot.object, *read, slot.state()->content);
}

void ReadIntoMemory(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  std::string buffer(slot.state()->content.size(), '\0');
  const auto read = worker.client().ReadObject(slot.object, std::as_writable_bytes(std::span(buffer)),
                                               {.generation = slot.state()->generation, .stop = stop.token()});
  if (!worker.Check(read, stop, ReadOf(slot))) return;
  if (read->bytes != buffer.size()) throw Violation("the read says that it gave " + std::to_string(read->bytes));
  CheckBytes(slot.object, buffer, slot.state()->content);
}

void ReadAsStream(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  std::string content;
  const ByteSink append = [&](std::span<const std::byte> data) -> Result<void> {
    content.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const auto read = worker.client().ReadObject(slot.object, append, {.stop = stop.token()});
  if (worker.Check(read, stop, ReadOf(slot))) CheckBytes(slot.object, content, slot.state()->content);
}

void ReadRange(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const std::size_t size = slot.state()->content.size();
  if (slot.is_checked() || size == 0) return;  // no checksum would tell
  const std::size_t offset = worker.chance().Below(size);
  const std::size_t length = 1 + worker.chance().Below(size);
  const RandomStop stop(worker.chance());
  const auto read = worker.client().ReadObject(slot.object, {.range = ByteRange{offset, length}, .stop = stop.token()});
  if (worker.Check(read, stop)) CheckBytes(slot.object, *read, slot.state()->content, offset, length);
}

void ReadCompressed(Worker& worker) {
  const Slot& slot =
      worker.chance().OneIn(4) ? worker.StoredObject() : worker.chance().OneOf(worker.common().compressed);
  const RandomStop stop(worker.chance());
  const auto read = worker.client().ReadObject(slot.object, {.decompress_gzip = true, .stop = stop.token()});
  if (worker.Check(read, stop, ReadOf(slot))) CheckBytes(slot.object, *read, slot.state()->content);
}

void ReadPastTheEnd(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  const auto read = worker.client().ReadObject(
      slot.object, {.range = ByteRange{slot.state()->content.size() + 1, 10}, .stop = stop.token()});
  if (worker.Check(read, stop, {.with = {ErrorCode::kOutOfRange}})) throw Violation("bytes past the end were read");
}

void ReadWhatIsNotThere(Worker& worker) {
  const RandomStop stop(worker.chance());
  const Slot* const slot = worker.StoredSlot();
  ReadObjectOptions options{.stop = stop.token()};
  ObjectName object{worker.common().bucket, worker.prefix() + "never"};
  if (slot != nullptr) {
    object = slot->object;
    options.generation = slot->state()->generation + 1;
  }
  const auto read = worker.client().ReadObject(object, options);
  if (worker.Check(read, stop, {.with = {ErrorCode::kNotFound}})) throw Violation("another generation was read");
}

void GetMetadata(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  const RandomStop stop(worker.chance());
  const auto found = worker.client().GetObject(slot.object, {.stop = stop.token()});
  if (!worker.Check(found, stop, {.with = {ErrorCode::kBadResponse}})) return;  // falseLength truncates JSON too
  CheckMetadata(*found, *slot.state());
  if (found->generation != slot.state()->generation) throw Violation(ToUri(slot.object) + " has another generation");
}

void AskAboutBucket(Worker& worker) {
  const std::string& bucket = worker.common().bucket;
  const RandomStop stop(worker.chance());
  const auto found = worker.client().GetBucket(bucket, {.stop = stop.token()});
  if (worker.Check(found, stop) && found->name != bucket) throw Violation("another bucket came: " + found->name);
  const std::vector<std::string> permissions = {"storage.objects.get", "storage.objects.create"};
  const auto allowed = worker.client().TestBucketPermissions(bucket, permissions, {.stop = stop.token()});
  if (worker.Check(allowed, stop) && allowed->size() != 2) throw Violation("permissions are missing");
  const auto all = worker.client().ListBuckets({.stop = stop.token()});
  if (worker.Check(all, stop) && all->empty()) throw Violation("no bucket is listed");
}

}  // namespace

std::vector<Operation> ReadOperations() {
  return {{"read whole", 6, ReadWhole},
          {"read into memory", 4, ReadIntoMemory},
          {"read as a stream", 4, ReadAsStream},
          {"read a range", 8, ReadRange},
          {"read what is compressed", 3, ReadCompressed},
          {"read past the end", 1, ReadPastTheEnd},
          {"read another generation", 1, ReadWhatIsNotThere},
          {"get metadata", 4, GetMetadata},
          {"ask about the bucket", 1, AskAboutBucket}};
}

}  // namespace gcsflux::campaign
