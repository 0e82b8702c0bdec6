// The service's operations on existing objects: compose, copy, rewrite, patch, update, delete.
#include "campaign/operations.h"
#include "campaign/worker.h"

namespace gcsflux::campaign {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;  // of composed objects, whose size would otherwise double again and again

// If a write is retried after a lost answer, its condition fails by its own success; or its source is gone, because it
// replaced it.
const MayFail kMayMeetItself{.with = {ErrorCode::kPreconditionFailed}};
const MayFail kMayReplaceItself{.with = {ErrorCode::kPreconditionFailed, ErrorCode::kNotFound}};

std::int64_t GenerationOf(const Slot& slot) { return slot.is_there() ? slot.state()->generation : 0; }

void Compose(Worker& worker) {
  Slot& destination = worker.AnySlot();
  Version version{.tag = worker.NewTag()};
  std::vector<ComposeSource> sources;
  for (std::size_t i = 1 + worker.chance().Below(4); i > 0; --i) {
    const Slot& slot = worker.StoredObject();
    if (version.content.size() + slot.state()->content.size() > kMostBytes) break;
    sources.push_back({.name = slot.object.name, .generation = slot.state()->generation});
    version.content.Append(slot.state()->content);
  }
  if (sources.empty()) return;
  const RandomStop stop(worker.chance());
  const auto composed =
      worker.client().ComposeObjects(sources, destination.object,
                                     {.preconditions = {.if_generation_match = GenerationOf(destination)},
                                      .attributes = AttributesOf(version),
                                      .stop = stop.token()});
  worker.Conclude(destination, version, composed, stop, kMayReplaceItself);
}

void Copy(Worker& worker) {
  const Slot& source = worker.StoredObject();
  Slot& destination = worker.AnySlot();
  const Version version{.content = source.state()->content, .tag = worker.NewTag()};
  const RandomStop stop(worker.chance());
  const auto copied = worker.client().CopyObject(source.object, destination.object,
                                                 {.source_generation = source.state()->generation,
                                                  .preconditions = {.if_generation_match = GenerationOf(destination)},
                                                  .attributes = AttributesOf(version),
                                                  .stop = stop.token()});
  worker.Conclude(destination, version, copied, stop, kMayReplaceItself);
}

void Rewrite(Worker& worker) {
  const Slot& source = worker.StoredObject();
  Slot& destination = worker.AnySlot();
  const Version version{.content = source.state()->content, .tag = worker.NewTag()};
  const RandomStop stop(worker.chance());
  const auto rewritten =
      worker.client().RewriteObject(source.object, destination.object,
                                    {.source_generation = source.state()->generation,
                                     .preconditions = {.if_generation_match = GenerationOf(destination)},
                                     .attributes = AttributesOf(version),
                                     .max_bytes_per_request = 1 << 20,
                                     .stop = stop.token()});
  worker.Conclude(destination, version, rewritten, stop, kMayReplaceItself);
}

void Patch(Worker& worker) {
  Slot* const slot = worker.StoredSlot();
  if (slot == nullptr) return;
  Version version = *slot->state();
  version.tag = worker.NewTag();
  const bool is_conditional = worker.chance().OneIn(2);
  const RandomStop stop(worker.chance());
  ObjectOptions options{.stop = stop.token()};
  if (is_conditional) options.preconditions.if_metageneration_match = version.metageneration;
  const auto patched = worker.client().PatchObject(slot->object, {.metadata = {{"tag", version.tag}}}, options);
  worker.Conclude(*slot, version, patched, stop, is_conditional ? kMayMeetItself : MayFail{.at_once = true});
}

void Update(Worker& worker) {
  Slot* const slot = worker.StoredSlot();
  if (slot == nullptr) return;
  Version version = *slot->state();
  version.tag = worker.NewTag();
  const RandomStop stop(worker.chance());
  const auto updated = worker.client().UpdateObject(
      slot->object, AttributesOf(version),
      {.preconditions = {.if_metageneration_match = version.metageneration}, .stop = stop.token()});
  worker.Conclude(*slot, version, updated, stop, kMayMeetItself);
}

void Delete(Worker& worker) {
  Slot* const slot = worker.StoredSlot();
  if (slot == nullptr) return;
  const RandomStop stop(worker.chance());
  const auto deleted =
      worker.client().DeleteObject(slot->object, {.generation = slot->state()->generation, .stop = stop.token()});
  worker.ConcludeDeletion(*slot, deleted, stop);
}

}  // namespace

std::vector<Operation> ChangeOperations() {
  return {{"compose", 4, Compose}, {"copy", 3, Copy},     {"rewrite", 3, Rewrite},
          {"patch", 3, Patch},     {"update", 2, Update}, {"delete", 5, Delete}};
}

}  // namespace gcsflux::campaign
