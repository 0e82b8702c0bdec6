// Samples that are packed into shards, listed there, and unpacked.
#include "gcsflux/shards.h"

#include <map>

#include "campaign/extra_objects.h"
#include "campaign/operations.h"
#include "campaign/worker.h"

namespace gcsflux::campaign {
namespace {

std::string MemberOf(const Worker& worker, const Slot& slot) {
  return slot.object.name.substr(worker.common().samples.name.size());
}

void CheckMembers(Worker& worker, const ObjectName& shards, const RandomStop& stop) {
  std::map<std::string, std::uint64_t> members;
  const auto listed = ListShards(worker.client(), shards,
                                 [&](const ListedObject& member) {
                                   const std::string_view name = member.name;
                                   members[std::string(name.substr(name.find(".tar/") + 5))] = member.size;
                                 },
                                 {.max_shards = 2, .stop = stop.token()});
  if (!worker.Check(listed, stop, {.with = {ErrorCode::kCorrupted, ErrorCode::kBadResponse}})) return;
  for (const Slot& slot : worker.common().sample_objects) {
    const auto found = members.extract(MemberOf(worker, slot));
    if (found.empty() || found.mapped() != slot.state()->content.size()) {
      throw Violation(slot.object.name + " is not in its shard, or with another size");
    }
  }
  if (!members.empty()) throw Violation("a shard has " + members.begin()->first + ", which was not packed");
}

void PackAndUnpack(Worker& worker) {
  const std::string own = worker.extra("shards-" + std::to_string(worker.chance().Number()));
  const ObjectName shards{worker.common().bucket, own + "packed/"};
  const ObjectName back{worker.common().bucket, own + "unpacked/"};
  const RandomStop stop(worker.chance());
  const MayFail may{.with = {ErrorCode::kCorrupted, ErrorCode::kBadResponse, ErrorCode::kSessionLost,
                             ErrorCode::kOutcomeUnknown, ErrorCode::kPreconditionFailed}};
  const ShardOptions options{.max_shards = 2, .max_samples = 1 + worker.chance().Below(12), .stop = stop.token()};
  const auto packed =
      PackShards(worker.client(), worker.common().samples, {shards.bucket, shards.name + "%03d.tar"}, options);
  if (worker.Check(packed, stop, may)) {
    CheckMembers(worker, shards, stop);
    const auto unpacked = UnpackShards(worker.client(), shards, back, options);
    if (worker.Check(unpacked, stop, may)) {
      for (const Slot& slot : worker.common().sample_objects) {
        const ObjectName object{back.bucket, back.name + MemberOf(worker, slot)};
        const auto read = worker.client().ReadObject(object);
        if (worker.Check(read, stop, may)) CheckBytes(object, *read, slot.state()->content);
      }
    }
  }
  RemoveAll(worker.client(), shards);
  RemoveAll(worker.client(), back);
}

}  // namespace

std::vector<Operation> ShardOperations() { return {{"pack and unpack", 1, PackAndUnpack}}; }

}  // namespace gcsflux::campaign
