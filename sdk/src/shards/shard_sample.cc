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
  MembersOfSample(const std::string& where, std::vector<ShardMember>& members)
      : where_(where), keys_(where), members_(members) {}

  [[nodiscard]] const std::string& key() const { return keys_.key(); }

  Result<void> OnMember(const internal::TarMember& member) override {
    auto placed = keys_.Add(member);
    if (!placed) return placed.error();
    is_ours_ = placed->has_value();
    if (!is_ours_) return {};
    if ((*placed)->begins_sample && !members_.empty()) {
      return Error{ErrorCode::kUndecodable,
                   where_ + ": member " + internal::Shown(member.name) + " is of another sample than the first one"};
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
  const std::string& where_;
  internal::SampleKeys keys_;
  std::vector<ShardMember>& members_;
  bool is_ours_ = false;
};

}  // namespace

Result<ShardSample> ShardSample::Parse(std::string_view shard, std::span<const std::byte> bytes) {
  ShardSample sample;
  sample.shard_ = shard;
  MembersOfSample members(sample.shard_, sample.members_);
  internal::TarParser parser({.archive = sample.shard_, .end = bytes.size(), .is_part = true}, members);
  if (auto parsed = parser.Feed(bytes); !parsed) return parsed.error();
  if (auto ended = parser.Finish(); !ended) return ended.error();
  if (sample.members_.empty())
    return Error{ErrorCode::kUndecodable, sample.shard_ + ": there is no member of a sample"};
  sample.key_ = members.key();
  return sample;
}

Result<ShardSample> internal::SampleIn(const ListedObject& object, std::span<const std::byte> bytes) {
  auto sample = ShardSample::Parse(object.name, bytes);
  if (!sample) return sample;
  if (!object.name.ends_with("/" + sample->key_)) {
    return Error{ErrorCode::kUndecodable, object.name + ": here is the sample " + Shown(sample->key_)};
  }
  sample->shard_.resize(object.name.size() - sample->key_.size() - 1);
  return sample;
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
