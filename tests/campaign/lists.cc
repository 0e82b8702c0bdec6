// The names under a prefix: page after page, and by many concurrent calls.
#include <map>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/listing.h"

namespace gcsflux::campaign {
namespace {

// All existing names must be listed, retired ones may be, and no others. `Object` is of either listing.
template <class Object, class CheckObject>
void CheckListed(const Worker& worker, const std::vector<Object>& objects, CheckObject check) {
  std::map<std::string, const Object*> found;
  for (const Object& object : objects) found[std::string(object.name)] = &object;
  if (found.size() != objects.size()) throw Violation("a name was listed twice");
  for (const Slot& slot : worker.retired()) found.erase(slot.object.name);
  for (const Slot& slot : worker.slots()) {
    const auto listed = found.extract(slot.object.name);
    if (listed.empty() == slot.is_there()) throw Violation(ToUri(slot.object) + ": the list is wrong about it");
    if (slot.is_there()) check(*listed.mapped(), *slot.state());
  }
  if (!found.empty()) throw Violation("a list has " + found.begin()->first + ", which was deleted or never stored");
}

void List(Worker& worker) {
  const RandomStop stop(worker.chance());
  const auto listing = ListPrefix(worker.client(), {worker.common().bucket, worker.prefix()}, {.stop = stop.token()});
  if (worker.Check(listing, stop)) CheckListed(worker, listing->objects, CheckMetadata);
}

void ListByManyCalls(Worker& worker) {
  const RandomStop stop(worker.chance());
  const auto listing = ListInParallel(worker.client(), {worker.common().bucket, worker.prefix()},
                                      {.max_concurrency = 4, .stop = stop.token()});
  if (!worker.Check(listing, stop)) return;
  CheckListed(worker, listing->objects, [](const ListedObject& object, const Version& version) {
    if (object.size != version.content.size() || object.generation != version.generation) {
      throw Violation(std::string(object.name) + ": the list is wrong about its size or generation");
    }
  });
}

}  // namespace

std::vector<Operation> ListOperations() { return {{"list", 3, List}, {"list by many calls", 2, ListByManyCalls}}; }

}  // namespace gcsflux::campaign
