#include "cli/copy/rewrite.h"

#include <optional>
#include <utility>

namespace gcsflux::cli {
namespace {

// The attributes of a copy that does not have all of its source's.
ObjectAttributes AttributesOf(const ObjectMetadata& source, const RouteOptions& options) {
  return {.content_type = options.content_type.value_or(source.content_type),
          .content_encoding = source.content_encoding,
          .content_disposition = source.content_disposition,
          .content_language = source.content_language,
          .cache_control = options.cache_control.value_or(source.cache_control),
          .custom_time = source.custom_time,
          .metadata = options.metadata.value_or(source.metadata)};
}

// The live object of a name. Nothing if there is none.
Result<std::optional<ObjectMetadata>> FindLive(const Client& client, const ObjectName& object,
                                               const std::stop_token& stop) {
  auto live = client.GetObject(object, {.stop = stop});
  if (!live && live.error().code == ErrorCode::kNotFound) return std::optional<ObjectMetadata>();
  if (!live) return live.error();
  return std::optional<ObjectMetadata>(*std::move(live));
}

// The service has copied the bytes, and its answer has the checksum of what it stored.
Result<void> CompareCopy(const ObjectMetadata& copy, const std::optional<std::uint32_t>& source_crc32c) {
  if (!copy.crc32c || !source_crc32c || *copy.crc32c == *source_crc32c) return {};
  return Error{ErrorCode::kCorrupted, "'" + ToUri({copy.bucket, copy.name}) +
                                          "' has another checksum than its source; remove it and copy it again"};
}

// Whether the service does not move this object, and a copy may be possible. It is unclear what it answers if it does
// not have the method, or not in this bucket.
bool IsNotServed(const Error& refused) {
  if (refused.http_status == 501) return true;
  if (refused.outcome == WriteOutcome::kUnknown) return false;
  switch (refused.http_status) {
    case 400:
    case 404:
    case 405:
    case 412: return true;
    case 403: return refused.reason != "objectUnderActiveHold" && refused.reason != "retentionPolicyNotMet";
    default: return false;
  }
}

// Makes the object at the destination, by a move if that is wanted and served, otherwise by a rewrite.
class ObjectMaker {
 public:
  ObjectMaker(const Client& client, ObjectName source, const ObjectName& destination, bool moves,
              std::atomic<bool>& is_move_served)
      : client_(client),
        source_(std::move(source)),
        destination_(destination),
        moves_(moves && source_.bucket == destination_.bucket),
        is_move_served_(is_move_served) {}

  /// `bytes` and `crc32c` are the source's.
  Result<ObjectMetadata> Make(const CopyObjectOptions& options, std::uint64_t bytes,
                              const std::optional<std::uint32_t>& crc32c) {
    bool is_declined = false;
    if (moves_ && is_move_served_) {
      auto moved = Move(options, bytes, crc32c);
      is_moved_ = moved.ok();
      if (moved || !IsNotServed(moved.error())) return moved;
      is_declined = true;
    }
    auto copied = client_.RewriteObject(source_, destination_, options);
    if (copied && is_declined) is_move_served_ = false;
    return copied;
  }

  [[nodiscard]] bool is_moved() const { return is_moved_; }

 private:
  Result<ObjectMetadata> Move(const CopyObjectOptions& options, std::uint64_t bytes,
                              const std::optional<std::uint32_t>& crc32c) {
    auto moved = client_.MoveObject(source_, destination_,
                                    {.source_preconditions = {.if_generation_match = options.source_generation},
                                     .preconditions = options.preconditions,
                                     .stop = options.stop});
    if (moved || moved.error().outcome != WriteOutcome::kUnknown) return moved;
    const int status = moved.error().http_status;
    if (status != 404 && status != 412) return moved;
    // An attempt whose answer was lost has probably moved it.
    const auto live = FindLive(client_, destination_, options.stop);
    if (live && *live && crc32c && (*live)->size == bytes && (*live)->crc32c == crc32c) return **live;
    return moved;
  }

  const Client& client_;
  const ObjectName source_;
  const ObjectName& destination_;
  const bool moves_;
  std::atomic<bool>& is_move_served_;
  bool is_moved_ = false;
};

struct Replacement {
  bool may_replace = true;
  bool may_be_done = false;           // An earlier request may have done it.
  std::optional<Error> unknown = {};  // Of an earlier request of which it is unknown whether it did it.
};

Result<void> ReplaceWhatIsThere(const Client& client, ObjectMaker& maker, const ObjectMetadata& source,
                                const ObjectName& destination, CopyObjectOptions options, Replacement replacement) {
  constexpr int kTries = 5;
  for (int tried = 1;; ++tried) {
    const auto live = FindLive(client, destination, options.stop);
    if (!live) return live.error();
    // Either an earlier attempt with a lost answer has made it, or another writer has stored the same.
    const bool is_same = *live && (*live)->size == source.size && (*live)->crc32c == source.crc32c;
    if (replacement.may_be_done && is_same) return {};
    if (!replacement.may_replace && *live) {
      return Error{ErrorCode::kAlreadyExists, "'" + ToUri(destination) + "' exists already (--no_clobber)"};
    }
    if (replacement.unknown && *live) return *std::move(replacement.unknown);  // It could be newer than the copy.
    options.preconditions.if_generation_match = *live ? (*live)->generation : 0;
    const auto copied = maker.Make(options, source.size, source.crc32c);
    if (copied) return CompareCopy(*copied, source.crc32c);
    if (copied.error().code != ErrorCode::kPreconditionFailed || tried == kTries) return copied.error();
    replacement.may_be_done = true;
    if (copied.error().outcome == WriteOutcome::kUnknown) replacement.unknown = copied.error();
  }
}

}  // namespace

Result<Rewritten> Rewrite(const Client& client, const ObjectName& source, const ObjectName& destination,
                          const TreeEntry& listed, const RouteOptions& options, const CopyCall& call,
                          std::atomic<bool>& is_move_served) {
  const bool keeps_attributes = !options.content_type && !options.cache_control && !options.metadata;
  const bool may_replace = options.writing.mode != WriteMode::kCreate;
  const bool goes_by_listing = listed.generation != 0 && keeps_attributes && (may_replace || call.present == nullptr);
  CopyObjectOptions rewrite{.on_progress = call.on_progress, .stop = call.stop};
  const bool moves = call.is_move && keeps_attributes && !listed.is_pinned;  // Only the live generation can be moved.
  ObjectMaker maker(client, source, destination, moves, is_move_served);
  std::optional<Error> unknown;
  if (goes_by_listing) {
    rewrite.source_generation = listed.generation;
    rewrite.preconditions.if_generation_match = call.present == nullptr ? 0 : call.present->generation;
    const auto copied = maker.Make(rewrite, listed.size, listed.crc32c);
    if (copied) {
      if (auto compared = CompareCopy(*copied, listed.crc32c); !compared) return compared.error();
      return Rewritten{listed.generation, maker.is_moved()};
    }
    // It is kNotFound if the source was overwritten since; then the new object is copied.
    const bool is_out_of_date =
        copied.error().code == ErrorCode::kPreconditionFailed || copied.error().code == ErrorCode::kNotFound;
    if (!is_out_of_date) return copied.error();
    if (copied.error().outcome == WriteOutcome::kUnknown) unknown = copied.error();
  }
  const auto found = client.GetObject(
      source, {.generation = listed.is_pinned ? std::optional(listed.generation) : std::nullopt, .stop = call.stop});
  if (!found) return found.error();
  rewrite.source_generation = found->generation;
  if (!keeps_attributes) rewrite.attributes = AttributesOf(*found, options);
  // If the answer to the first request was lost, the object at the destination is the same.
  const auto replaced =
      ReplaceWhatIsThere(client, maker, *found, destination, rewrite,
                         {.may_replace = may_replace, .may_be_done = goes_by_listing, .unknown = std::move(unknown)});
  if (!replaced) return replaced.error();
  return Rewritten{found->generation, maker.is_moved()};
}

}  // namespace gcsflux::cli
