#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "formats/tar/tar_parser.h"

namespace gcsflux::internal {

/// A member's place by WebDataset's convention.
struct SampleName {
  std::string key = {};        ///< "cat/0007": up to the first dot of the base name.
  std::string extension = {};  ///< "jpg": what follows the dot, in lower case.
};

/// Nothing for a name that belongs to no sample: "__meta__", "__meta__/x". A leading "./" is left out. Returns
/// kUndecodable, with the reason alone, for names without an extension or a key, and for those that are absolute, climb
/// ("..") or are not UTF-8.
Result<std::optional<SampleName>> SampleNameOf(std::string_view member);

/// Groups the members of one shard in their order. For one thread at a time.
class SampleKeys {
 public:
  /// `shard` is for messages.
  explicit SampleKeys(std::string shard) : shard_(std::move(shard)) {}

  struct Placed {
    std::string extension = {};
    bool begins_sample = false;  ///< The key is another one than before.
  };
  /// The place of the next member. Nothing if it belongs to no sample. Returns kUndecodable if the sample has an equal
  /// member, or was there before, with others behind it.
  Result<std::optional<Placed>> Add(const TarMember& member);

  /// Of the present sample; empty before the first one.
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  [[nodiscard]] Error Refuse(const TarMember& member, const std::string& why) const;

  const std::string shard_;
  std::string key_ = {};
  std::set<std::string, std::less<>> extensions_ = {};  // Of the present sample.
  std::unordered_set<std::size_t> seen_ = {};           // Hashes of keys.
};

}  // namespace gcsflux::internal
