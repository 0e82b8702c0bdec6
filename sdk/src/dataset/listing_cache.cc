#include <algorithm>
#include <optional>
#include <utility>

#include "base/either_stop.h"
#include "client/client_core.h"
#include "dataset/stored_listing.h"
#include "gcsflux/listing.h"

namespace gcsflux {
namespace {

// The call is wrong or was cancelled: a listing without the cache does not help.
bool IsCallersMatter(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kCancelled ||
         error.code == ErrorCode::kForked;
}

// The objects that the options select, from everything under the prefix.
void Select(const ParallelListOptions& options, std::vector<ListedObject>& objects) {
  const std::vector<InternedName> classes(options.storage_classes.begin(), options.storage_classes.end());
  std::erase_if(objects, [&](const ListedObject& object) {
    return object.name < options.start_offset || (!options.end_offset.empty() && object.name >= options.end_offset) ||
           (!options.include_directory_markers && object.name.ends_with('/')) ||
           (!classes.empty() && std::find(classes.begin(), classes.end(), object.storage_class) == classes.end());
  });
  if (options.limit && *options.limit < objects.size()) objects.resize(static_cast<std::size_t>(*options.limit));
}

ParallelListOptions WithoutSelection(ParallelListOptions options) {
  const ParallelListOptions all;
  options.start_offset = all.start_offset;
  options.end_offset = all.end_offset;
  options.limit = all.limit;
  options.include_directory_markers = true;
  options.skip_composites = true;
  options.storage_classes = all.storage_classes;
  return options;
}

/// One ListThroughCache().
class CachedList {
 public:
  CachedList(const Client& client, ObjectName prefix, ObjectName cache, const ListingCacheOptions& options)
      : client_(client), prefix_(std::move(prefix)), cache_(std::move(cache)), options_(options) {}

  Result<Listing> Run() {
    // One round for each process that is faster; more than a few in a row are not expected.
    constexpr int kMostRounds = 4;
    for (int round = 0; round < kMostRounds; ++round) {
      const auto is_done = TryOnce();
      if (!is_done) return is_done.error();
      if (*is_done) break;
    }
    LeaveCacheOut();  // Another program may have saved it.
    Select(options_.listing, result_.objects);
    return std::move(result_);
  }

 private:
  // False if another process changed the cache meanwhile: read what it saved.
  Result<bool> TryOnce() {
    auto stored = internal::ReadStoredListing(
        client_, cache_, {.max_age = options_.max_age, .call = options_.call, .stop = options_.stop});
    if (!stored && stored.error().code != ErrorCode::kNotFound) return ListAlone(stored.error());
    if (!stored) return ListAndSave(WriteMode::kCreate, {});
    if (!stored->is_listing) {
      return Error{ErrorCode::kInvalidArgument, ToUri(cache_) +
                                                    ": it holds no saved listing, and is not overwritten; " +
                                                    "name another object for the listing's cache, or delete it"};
    }
    const std::optional<Error> unusable = stored->listing ? WhyUnusable(*stored->listing) : stored->listing.error();
    if (!unusable) {
      result_ = *std::move(stored->listing);
      result_.is_from_cache = result_.is_in_cache = true;
      return true;
    }
    // A newer version of gcsflux saved it, and others read it.
    if (!stored->listing && unusable->code == ErrorCode::kInvalidArgument) return KeepAlone(*unusable);
    result_.cache_error = unusable;
    return ListAndSave(WriteMode::kReplace, stored->generation);
  }

  [[nodiscard]] std::optional<Error> WhyUnusable(const Listing& listing) const {
    if (listing.prefix != prefix_) {
      return Error{ErrorCode::kStale, ToUri(cache_) + ": it holds the listing of " + ToUri(listing.prefix) +
                                          ", not of " + ToUri(prefix_) + "; name another object for each prefix"};
    }
    const auto is_below = [this](const ListedObject& object) { return object.name.starts_with(prefix_.name); };
    if (std::all_of(listing.objects.begin(), listing.objects.end(), is_below)) return std::nullopt;
    return Error{ErrorCode::kCorrupted, ToUri(cache_) + ": it names objects that are not under " + ToUri(prefix_)};
  }

  Result<bool> ListAlone(const Error& why) {
    if (IsCallersMatter(why)) return why;
    return KeepAlone(why);
  }

  Result<bool> KeepAlone(const Error& why) {
    if (auto listed = List(); !listed) return listed.error();
    result_.cache_error = why;
    return true;
  }

  Result<bool> ListAndSave(WriteMode mode, std::optional<std::int64_t> generation) {
    if (auto listed = List(); !listed) return listed.error();
    if (result_.objects.empty()) return true;
    const auto saved =
        SaveListing(client_, cache_, result_,
                    {.mode = mode, .generation = generation, .call = options_.call, .stop = options_.stop});
    result_.is_in_cache = saved.ok();
    if (saved) return true;
    if (saved.error().code == ErrorCode::kCancelled || saved.error().code == ErrorCode::kForked) return saved.error();
    result_.cache_error = saved.error();
    return saved.error().code != ErrorCode::kPreconditionFailed;
  }

  // Lists only once, in any number of rounds.
  Result<void> List() {
    if (is_listed_) return {};
    const internal::EitherStop either(options_.stop, options_.listing.stop);
    ParallelListOptions how = WithoutSelection(options_.listing);
    how.stop = either.token();
    auto listing = ListInParallel(client_, prefix_, how);
    if (!listing) return listing.error();
    listing->cache_error = std::move(result_.cache_error);
    result_ = *std::move(listing);
    LeaveCacheOut();
    is_listed_ = true;
    return {};
  }

  void LeaveCacheOut() {
    if (prefix_.bucket != cache_.bucket) return;
    std::erase_if(result_.objects, [this](const ListedObject& object) { return object.name == cache_.name; });
  }

  const Client& client_;
  const ObjectName prefix_;
  const ObjectName cache_;
  const ListingCacheOptions& options_;
  bool is_listed_ = false;
  Listing result_;
};

}  // namespace

Result<Listing> ListThroughCache(const Client& client, const ObjectName& prefix, const ObjectName& cache,
                                 const ListingCacheOptions& options) {
  return internal::WithinMemory(prefix, [&] { return CachedList(client, prefix, cache, options).Run(); });
}

}  // namespace gcsflux
