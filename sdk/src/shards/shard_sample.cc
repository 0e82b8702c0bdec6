#include <string>
#include <utility>

#include "base/invalid_argument.h"
#include "formats/bytes/format_error.h"
#include "formats/tar/tar_parser.h"
#include "gcsflux/shards.h"
#include "shards/sample_keys.h"

namespace gcsflux {
namespace {

class MembersOfSample : public internal::TarSink {
 public:
  MembersOfSample(const std::string& shard, std::string_view key, std::vector<ShardMember>& members)
      : keys_(shard), shard_(shard), key_(key), members_(members) {}

  Result<void> OnMember(const internal::TarMember& member) override {
    auto placed = keys_.Add(member);
    if (!placed) return placed.error();
    is_ours_ = placed->has_value();
    if (!is_ours_) return {};
    if (keys_.key() != key_) {
      return Error{ErrorCode::kUndecodable, shard_ + ": member " + internal::Shown(member.name) +
                                                " is among those of sample " + internal::Shown(std::string(key_)) +
                                                "; make the index of the shard again"};
    }
    members_.push_back({.extension = std::move((*placed)->extension)});
    return {};
  }
  // The bytes of a member come at once, since the sample does.
  Result<void> OnBytes(std::span<const std::byte> bytes) override {
    if (is_ours_) members_.back().bytes = bytes;
    return {};
  }
  Result<void> OnMemberEnd() override { return {}; }

 private:
  internal::SampleKeys keys_;
  const std::string& shard_;
  const std::string_view key_;
  std::vector<ShardMember>& members_;
  bool is_ours_ = false;
};

}  // namespace

Result<ShardSample> ShardSample::Parse(std::string_view shard, std::string_view key, std::span<const std::byte> bytes) {
  ShardSample sample;
  sample.shard_ = shard;
  sample.key_ = key;
  MembersOfSample members(sample.shard_, key, sample.members_);
  internal::TarParser parser(
      {.archive = sample.shard_ + ", sample " + internal::Shown(sample.key_), .end = bytes.size(), .is_part = true},
      members);
  if (auto parsed = parser.Feed(bytes); !parsed) return parsed.error();
  if (auto ended = parser.Finish(); !ended) return ended.error();
  if (!sample.members_.empty()) return sample;
  return Error{ErrorCode::kUndecodable, sample.shard_ + ": sample " + internal::Shown(sample.key_) + " has no member"};
}

Result<std::span<const std::byte>> ShardSample::Member(std::string_view extension) const {
  std::string names;
  for (const ShardMember& member : members_) {
    if (member.extension == extension) return member.bytes;
    names += (names.empty() ? "" : ", ") + member.extension;
  }
  return Error{ErrorCode::kUndecodable, shard_ + ": sample " + internal::Shown(key_) + " has no member '" +
                                            std::string(extension) + "'; it has " + internal::Shown(names)};
}

}  // namespace gcsflux
