#include <gflags/gflags.h>

#include <span>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/content_type.h"
#include "cli/terminal/output.h"
#include "gcsflux/client.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DECLARE_string(content_type);
DECLARE_string(cache_control);

namespace gcsflux::cli {
namespace {

// "gs://b/a gs://b/b to gs://b/c", or as JSON the last one.
void PrintComposition(const std::vector<std::string>& uris) {
  std::string what;
  for (std::size_t i = 0; i + 1 < uris.size(); ++i) what += uris[i] + " ";
  PrintChange({"compose", "composed"}, FLAGS_json ? uris.back() : what + "to " + uris.back());
}

// Under preconditions, so that a lost answer does not join them twice, or hide another writer's object.
Result<void> Compose(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ParseAll(uris, ParseObject);
  if (!names) return names.error();
  const ObjectName& destination = names->back();
  std::vector<ComposeSource> sources;
  for (const ObjectName& source : std::span(*names).first(names->size() - 1)) {
    if (source.bucket != destination.bucket) {
      return Error{ErrorCode::kInvalidArgument,
                   "'" + ToUri(source) + "' is in another bucket than '" + uris.back() + "'; copy it first"};
    }
    const auto found = client.GetObject(source, {.fields = "size"});
    if (!found) return found.error();
    sources.push_back({.name = source.name, .generation = found->generation});
  }
  const auto present = client.GetObject(destination, {.fields = "size"});
  if (!present && present.error().code != ErrorCode::kNotFound) return present.error();
  ComposeObjectsOptions options{.preconditions = {.if_generation_match = present ? present->generation : 0}};
  const std::string type =
      FLAGS_content_type.empty() ? std::string(ContentTypeOf(destination.name)) : FLAGS_content_type;
  if (!type.empty()) options.attributes.content_type = type;
  options.attributes.cache_control = FLAGS_cache_control;
  if (!FLAGS_dry_run) {
    if (auto made = client.ComposeObjects(sources, destination, options); !made) return made.error();
  }
  PrintComposition(uris);
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
