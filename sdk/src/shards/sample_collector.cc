#include "shards/sample_collector.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

// So that a small member that follows a large one fits without a copy of that.
constexpr std::uint64_t kSpare = 4 << 10;

}  // namespace

SampleCollector::SampleCollector(Shard shard, BlockPool& blocks, Deliver deliver)
    : shard_(std::move(shard)),
      blocks_(blocks),
      deliver_(std::move(deliver)),
      keys_(shard_.uri),
      parser_({.archive = shard_.uri, .end = shard_.listed.size}, *this) {}

void SampleCollector::OnOther(std::span<const std::byte> bytes) {
  const auto padding = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(padding_, bytes.size())));
  if (is_ours_) Append(padding);
  padding_ -= padding.size();
  position_ += padding.size();
  bytes = bytes.subspan(padding.size());
  if (headers_.empty()) headers_begin_ = position_;
  headers_.insert(headers_.end(), bytes.begin(), bytes.end());
  position_ += bytes.size();
}

Result<void> SampleCollector::OnMember(const TarMember& member) {
  const auto placed = keys_.Add(member);
  if (!placed) return placed.error();
  is_ours_ = placed->has_value();
  const auto headers = std::span(headers_).subspan(static_cast<std::size_t>(member.begin - headers_begin_));
  padding_ = TarPadded(member.size) - member.size;
  if (is_ours_) {
    if ((*placed)->begins_sample) {
      if (auto ended = EndSample(); !ended) return ended;
      sample_.listed = shard_.listed;
      sample_.listed.name += "/" + keys_.key();
      sample_.index = shard_.first_index + static_cast<std::size_t>(samples_++);
    }
    if (auto reserved = Reserve(headers.size() + TarPadded(member.size)); !reserved) return reserved;
    Append(headers);
  }
  headers_.clear();
  return {};
}

Result<void> SampleCollector::OnBytes(std::span<const std::byte> bytes) {
  if (is_ours_) Append(bytes);
  position_ += bytes.size();
  return {};
}

Result<void> SampleCollector::OnMemberEnd() { return {}; }

// The next member of the sample fits then.
Result<void> SampleCollector::Reserve(std::uint64_t bytes) {
  if (sample_.bytes + bytes <= capacity_) return {};
  const std::uint64_t wanted = sample_.bytes + bytes + kSpare;
  auto memory = blocks_.Take(static_cast<std::size_t>(wanted));
  if (!memory) {
    return Error{ErrorCode::kInvalidArgument, shard_.uri + ": no memory for sample " + Shown(keys_.key()) + " of " +
                                                  std::to_string(wanted) + " bytes"};
  }
  if (sample_.bytes > 0) std::memcpy(memory.get(), sample_.memory.get(), sample_.bytes);
  sample_.memory = std::move(memory);
  capacity_ = static_cast<std::size_t>(wanted);
  return {};
}

void SampleCollector::Append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::memcpy(sample_.memory.get() + sample_.bytes, bytes.data(), bytes.size());
  sample_.bytes += bytes.size();
}

Result<void> SampleCollector::EndSample() {
  if (sample_.bytes == 0) return {};
  sample_.listed.size = sample_.bytes;
  sample_.listed.crc32c.reset();
  capacity_ = 0;
  return deliver_(std::exchange(sample_, {}));
}

Result<void> SampleCollector::Finish() {
  if (auto ended = parser_.Finish(); !ended) return ended;
  if (samples_ == 0) return Error{ErrorCode::kUndecodable, shard_.uri + ": the shard has no sample"};
  return EndSample();
}

}  // namespace gcsflux::internal
