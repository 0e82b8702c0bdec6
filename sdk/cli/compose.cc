#include <gflags/gflags.h>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/content_type.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "gcsflux/client.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DECLARE_string(content_type);
DECLARE_string(cache_control);

namespace gcsflux::cli {
namespace {

// What --dry_run prints: "compose gs://b/a gs://b/b to gs://b/c", or the same as JSON.
Result<void> PrintPlan(const std::vector<std::string>& uris) {
  if (FLAGS_json) {
    PrintLine(JsonObject().Add("action", "compose").Add("uri", uris.back()).text());
    return {};
  }
  std::string line = "compose";
  for (std::size_t i = 0; i + 1 < uris.size(); ++i) line += " " + uris[i];
  PrintLine(line + " to " + uris.back());
  return {};
}

// Under preconditions, so that a lost answer does not join them twice, or hide another writer's object.
Result<void> Compose(const Client& client, const std::vector<std::string>& uris) {
  const auto destination = ParseObject(uris.back());
  if (!destination) return destination.error();
  std::vector<ComposeSource> sources;
  for (std::size_t i = 0; i + 1 < uris.size(); ++i) {
    const auto source = ParseObject(uris[i]);
    if (!source) return source.error();
    if (source->bucket != destination->bucket) {
      return Error{ErrorCode::kInvalidArgument,
                   "'" + uris[i] + "' is in another bucket than '" + uris.back() + "'; copy it first"};
    }
    const auto found = client.GetObject(*source, {.fields = "size"});
    if (!found) return found.error();
    sources.push_back({.name = source->name, .generation = found->generation});
  }
  const auto present = client.GetObject(*destination, {.fields = "size"});
  if (!present && present.error().code != ErrorCode::kNotFound) return present.error();
  ComposeObjectsOptions options{.preconditions = {.if_generation_match = present ? present->generation : 0}};
  const std::string type =
      FLAGS_content_type.empty() ? std::string(ContentTypeOf(destination->name)) : FLAGS_content_type;
  if (!type.empty()) options.attributes.content_type = type;
  options.attributes.cache_control = FLAGS_cache_control;
  if (FLAGS_dry_run) return PrintPlan(uris);
  if (auto made = client.ComposeObjects(sources, *destination, options); !made) return made.error();
  PrintDone("composed", uris.back());
  return {};
}

constexpr CommandFlag kComposeFlags[] = {{"content_type"}, {"cache_control"}, {"dry_run"}, {"json"}};

}  // namespace

constinit const Command kCompose = {
    .name = "compose",
    .arguments = "gs://BUCKET/SOURCE... gs://BUCKET/OBJECT",
    .summary = "Join up to 32 objects of a bucket into one, without moving their bytes.",
    .flags = kComposeFlags,
    .min_arguments = 2,
    .max_arguments = 33,
    .run = Compose,
};

}  // namespace gcsflux::cli
