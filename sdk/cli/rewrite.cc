#include "cli/rewrite.h"

namespace gcsflux::cli {
namespace {

// What a copy is given that has another content type than its source.
ObjectAttributes AttributesOf(const ObjectMetadata& source, const std::string& content_type) {
  return {.content_type = content_type,
          .content_encoding = source.content_encoding,
          .content_disposition = source.content_disposition,
          .content_language = source.content_language,
          .cache_control = source.cache_control,
          .custom_time = source.custom_time,
          .metadata = source.metadata};
}

// What is live under a name; nothing where that is free.
Result<std::optional<ObjectMetadata>> FindLive(const Client& client, const ObjectName& object,
                                               const std::stop_token& stop) {
  auto live = client.GetObject(object, {.stop = stop});
  if (!live && live.error().code == ErrorCode::kNotFound) return std::optional<ObjectMetadata>();
  if (!live) return live.error();
  return std::optional<ObjectMetadata>(*std::move(live));
}

}  // namespace

Result<void> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                     const RewriteCall& call) {
  constexpr int kTries = 5;
  const auto found = client.GetObject(source, {.generation = call.generation, .stop = call.stop});
  if (!found) return found.error();
  RewriteObjectOptions options{.source_generation = found->generation, .stop = call.stop};
  if (call.content_type) options.attributes = AttributesOf(*found, *call.content_type);
  if (call.on_progress) {
    options.on_progress = [&](const RewriteProgress& progress) { call.on_progress({progress.bytes, progress.total}); };
  }
  for (int tried = 1;; ++tried) {
    const auto live = FindLive(client, destination, call.stop);
    if (!live) return live.error();
    // Either a request was repeated whose answer was lost, or somebody else has stored the same.
    if (tried > 1 && *live && (*live)->size == found->size && (*live)->crc32c == found->crc32c) return {};
    if (!call.may_replace && *live) {
      return Error{ErrorCode::kAlreadyExists, "'" + ToUri(destination) + "' is there already (--no_clobber)"};
    }
    options.preconditions.if_generation_match = *live ? (*live)->generation : 0;
    const auto copied = client.RewriteObject(source, destination, options);
    if (copied) return {};
    if (copied.error().code != ErrorCode::kPreconditionFailed || tried == kTries) return copied.error();
  }
}

}  // namespace gcsflux::cli
