#include "transfer/composition/composite.h"

namespace gcsflux::internal {
namespace {

// The live generation of the name. Nothing if there is none.
Result<std::optional<std::int64_t>> FindGeneration(const Client& client, const ObjectName& object,
                                                   const CallOptions& call, const std::stop_token& stop) {
  const auto found = client.GetObject(object, {.fields = "generation", .call = call, .stop = stop});
  if (found) return std::optional(found->generation);
  if (found.error().code == ErrorCode::kNotFound) return std::optional<std::int64_t>();
  return found.error();
}

}  // namespace

Result<bool> DeleteComposite(const Client& client, const Composite& composite, const CallOptions& call,
                             const std::stop_token& stop) {
  auto generation = composite.generation;
  if (!generation) {
    const auto found = FindGeneration(client, composite.object, call, stop);
    if (!found) return found.error();
    if (!*found) return false;
    generation = *found;
  }
  const auto deleted = client.DeleteObject(composite.object, {.generation = generation, .call = call, .stop = stop});
  if (deleted) return true;
  if (deleted.error().code == ErrorCode::kNotFound) return false;
  return deleted.error();
}

}  // namespace gcsflux::internal
