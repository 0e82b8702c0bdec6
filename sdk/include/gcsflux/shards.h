#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"

// Shards: tar archives of many samples, by WebDataset's convention. Members whose names agree up to the first dot of
// the base name, and that follow each other, are one sample: "cat/0007.jpg" and "cat/0007.cls" are the members "jpg"
// and "cls" of "cat/0007". Directories, and names whose first part is in double underscores ("__meta__"), are passed
// over. torch/shard_dataset.h reads shards as datasets.
//
// Where functions take `shards`, the name is one of these:
// - a shard: {"bucket", "train/000000.tar"};
// - a prefix: {"bucket", "train/"}, for all objects under it whose names end with ".tar";
// - braces: {"bucket", "train/{000000..000127}.tar"} or "train/{a,b}.tar", at most 1,000,000 shards, all of which must
//   exist;
// - a list in the format wids-shard-index-v1: {"bucket", "train/index.json"}.
//
// An index, beside its shard under the same name with ".index", says where the samples are, with their checksums. With
// the indexes of all shards samples are read in any order.
namespace gcsflux {

class ShardSample;
namespace internal {
/// The sample that a dataset of shards lists as this object, named "SHARD/KEY".
Result<ShardSample> SampleIn(const ListedObject& object, std::span<const std::byte> bytes);
}  // namespace internal

/// A file of a sample.
struct ShardMember {
  std::string extension = {};             ///< What follows the first dot, in lower case: "jpg", "seg.png".
  std::span<const std::byte> bytes = {};  ///< Its content.
};

/// The members of a sample. A view of the bytes that were read: valid as long as those.
class ShardSample {
 public:
  /// Parses the tar members of one sample, without anything else. Returns kUndecodable if they are damaged, or are of
  /// two samples. `shard` is for messages.
  static Result<ShardSample> Parse(std::string_view shard, std::span<const std::byte> bytes);

  [[nodiscard]] const std::string& shard() const { return shard_; }  ///< Name of its object.
  [[nodiscard]] const std::string& key() const { return key_; }      ///< "cat/0007"
  /// In their order in the shard.
  [[nodiscard]] const std::vector<ShardMember>& members() const { return members_; }
  /// The bytes of the member with this extension. Returns kUndecodable if there is none.
  [[nodiscard]] Result<std::span<const std::byte>> Member(std::string_view extension) const;

 private:
  friend Result<ShardSample> internal::SampleIn(const ListedObject& object, std::span<const std::byte> bytes);
  ShardSample() = default;
  std::string shard_ = {};
  std::string key_ = {};
  std::vector<ShardMember> members_ = {};
};

struct ShardOptions {
  /// Most shards that are read at the same time; at least 1.
  int max_shards = 4;
  /// For IndexShards(): also makes the indexes that are there and fit their shards.
  bool replaces_indexes = false;
  /// Stores nothing: shards are read and checked, and the report says what the call would do.
  bool is_dry_run = false;

  // For PackShards():
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  ///< Of a shard; a larger sample has one of its own.
  std::uint64_t max_samples = 100'000;               ///< Of a shard; at least 1.
  /// The samples are packed in an order that this seed determines; without it, by name. Set it if the dataset is read
  /// without an index, so that a buffer of samples shuffles well.
  std::optional<std::uint64_t> shuffle_seed = {};
  /// Memory of all shards that are written, beside 16 MiB for each. At least 16 MiB for each is used.
  std::uint64_t part_memory_bytes = std::uint64_t{96} << 20;

  /// Told of the bytes of shards, by several threads at the same time.
  ProgressCallback on_progress = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// What IndexShards(), PackShards() and UnpackShards() have done.
struct ShardReport {
  std::uint64_t shards = 0;   ///< Indexed, written or read.
  std::uint64_t kept = 0;     ///< Shards that were there already, with their indexes.
  std::uint64_t samples = 0;  ///< Of all shards.
  std::uint64_t members = 0;  ///< Of all samples.
  std::uint64_t bytes = 0;    ///< Of the shards.
};

/// Reads each shard once, and stores its index. An index that fits its shard's generation is kept. Returns kUndecodable
/// with shard, member and offset if a shard is no archive of samples, and kEmptyPrefix if there are no shards. The
/// first failure ends the call; indexes that were stored stay.
Result<ShardReport> IndexShards(const Client& client, const ObjectName& shards, const ShardOptions& options = {});

/// Packs the objects under the prefix `from` into shards with their indexes. The name `to` has one printf pattern for
/// the number of a shard: {"bucket", "train/%06d.tar"}. Members have the objects' names behind the prefix; the members
/// of a sample are together, in any order of the names. Each member is compared with its object's CRC32C.
///
/// The same objects and options give the same shards. A shard that is there with just these members and its index is
/// kept, so a call that was interrupted can be repeated. Other shards of these numbers are overwritten. Returns
/// kAlreadyExists if there are shards of further numbers, kInvalidArgument if an object's name is none of a sample's
/// member or `to` has no pattern, and kEmptyPrefix if there are no objects.
Result<ShardReport> PackShards(const Client& client, const ObjectName& from, const ObjectName& to,
                               const ShardOptions& options = {});

/// Stores each member of the shards as an object, whose name is `to` and the member's name. Overwrites. Returns
/// kUndecodable as IndexShards() does; members that were stored before stay.
Result<ShardReport> UnpackShards(const Client& client, const ObjectName& shards, const ObjectName& to,
                                 const ShardOptions& options = {});

/// Calls `visit` for each member of the shards, in their order, with the name SHARD/MEMBER, the size and the CRC32C. A
/// shard without a usable index is read whole.
Result<ShardReport> ListShards(const Client& client, const ObjectName& shards,
                               const std::function<void(const ListedObject& member)>& visit,
                               const ShardOptions& options = {});

}  // namespace gcsflux
