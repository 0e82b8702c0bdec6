#include <gflags/gflags.h>

#include "cli/arguments/metadata.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/parallel/run_adapting.h"
#include "cli/terminal/output.h"
#include "gcsflux/client.h"

DECLARE_bool(dry_run);
DECLARE_string(content_type);
DECLARE_string(cache_control);
DEFINE_string(content_encoding, "", "Content-Encoding.");
DEFINE_string(content_disposition, "", "Content-Disposition.");
DEFINE_string(content_language, "", "Content-Language.");

namespace gcsflux::cli {
namespace {

// What was given; a flag that is given as empty removes the attribute.
std::optional<std::string> Given(const char* flag) {
  const auto info = google::GetCommandLineFlagInfoOrDie(flag);
  return info.is_default ? std::nullopt : std::optional(info.current_value);
}

Result<ObjectChanges> ChangesOfFlags() {
  ObjectChanges changes{.content_type = Given("content_type"),
                        .content_encoding = Given("content_encoding"),
                        .content_disposition = Given("content_disposition"),
                        .content_language = Given("content_language"),
                        .cache_control = Given("cache_control")};
  auto metadata = MetadataFromFlag();
  if (!metadata) return metadata.error();
  changes.metadata = *std::move(metadata);
  const bool is_empty = !changes.content_type && !changes.content_encoding && !changes.content_disposition &&
                        !changes.content_language && !changes.cache_control && changes.metadata.empty();
  if (is_empty)
    return Error{ErrorCode::kInvalidArgument, "nothing is to be changed: give --content_type, --metadata ..."};
  return changes;
}

Result<void> SetMetadata(const Client& client, const std::vector<std::string>& uris) {
  const auto changes = ChangesOfFlags();
  if (!changes) return changes.error();
  const auto concurrency = ConcurrencyFromFlags();
  if (!concurrency) return concurrency.error();
  const auto objects = ObjectsOf(client, uris);
  if (!objects) return objects.error();
  const auto change = [&](std::size_t index, int, const std::stop_token& stop) -> Result<void> {
    const auto& [object, generation] = (*objects)[index];
    const auto found = client.GetObject(object, {.generation = generation, .fields = "metageneration", .stop = stop});
    if (!found) return found.error();
    if (FLAGS_dry_run) return {};
    auto patched = client.PatchObject(object, *changes,
                                      {.generation = found->generation,
                                       .preconditions = {.if_metageneration_match = found->metageneration},
                                       .stop = stop});
    if (!patched) return patched.error();
    return {};
  };
  auto changed =
      RunAdapting(client, *concurrency,
                  {.count = objects->size(), .needs = [](std::size_t) { return TaskNeeds(); }, .perform = change});
  if (!changed) return changed;
  for (const NamedObject& object : *objects) PrintChange({"change", "changed"}, UriOf(object));
  return {};
}

constexpr CommandFlag kSetmetaFlags[] = {{"content_type", "", "Content type; empty removes it."},
                                         {"cache_control", "", "Cache-Control, such as no-store or max-age=60."},
                                         {"content_encoding"},
                                         {"content_disposition"},
                                         {"content_language"},
                                         {"metadata"},
                                         {"dry_run"},
                                         {"json"}};

}  // namespace

constinit const Command kSetmeta = {
    .name = "setmeta",
    .arguments = "gs://BUCKET/OBJECT...",
    .summary = "Change attributes of objects in place.",
    .details =
        "What no flag names stays as it is, and a flag with an empty value removes the attribute. The generation "
        "stays\n"
        "the same. A change by another writer in between is an error, and that object stays as the other has left "
        "it.\n",
    .flags = kSetmetaFlags,
    .run = SetMetadata,
};

}  // namespace gcsflux::cli
