#include "shards/shard_indexer.h"

#include <algorithm>
#include <utility>

namespace gcsflux::internal {

void ShardIndexer::Pass(std::span<const std::byte> bytes) {
  here_ = {here_.position + bytes.size(), ExtendCrc32c(here_.crc32c, bytes)};
}

void ShardIndexer::OnOther(std::span<const std::byte> bytes) {
  since_member_.push_back(here_);
  if (here_.position == sample_end_.position) sample_end_ = here_;
  Pass(bytes);
}

Result<void> ShardIndexer::OnMember(const TarMember& member) {
  auto placed = keys_.Add(member);
  if (!placed) return placed.error();
  const auto begin = std::find_if(since_member_.begin(), since_member_.end(),
                                  [&](const Passed& passed) { return passed.position == member.begin; });
  data_ = here_;
  if (*placed) {
    if ((*placed)->begins_sample) {
      EndSample();
      has_sample_ = true;
      sample_begin_ = *begin;
      index_.samples.push_back({.first = index_.members.size()});
    }
    sample_end_ = {.position = member.end()};
  }
  index_.members.push_back({.name = member.name, .begin = member.begin, .data = member.data, .size = member.size});
  if (*placed) {
    ShardIndex::Sample& sample = index_.samples.back();
    sample.count = index_.members.size() - sample.first;
  }
  return {};
}

Result<void> ShardIndexer::OnMemberEnd() {
  index_.members.back().crc32c = Between(data_, here_);
  since_member_.clear();
  return {};
}

void ShardIndexer::EndSample() {
  if (has_sample_) index_.samples.back().crc32c = Between(sample_begin_, sample_end_);
}

Result<ShardIndex> ShardIndexer::Finish() {
  if (auto ended = parser_.Finish(); !ended) return ended.error();
  EndSample();
  if (!index_.samples.empty()) return std::move(index_);
  return Error{ErrorCode::kUndecodable, name_ + ": the shard has no sample"};
}

}  // namespace gcsflux::internal
