#include "transfer/upload/part_queue.h"

#include <algorithm>
#include <utility>

#include "transfer/upload/part_bytes.h"

namespace gcsflux::internal {
namespace {

std::uint64_t DivideUp(std::uint64_t bytes, std::uint64_t by) { return bytes / by + (bytes % by > 0 ? 1 : 0); }

}  // namespace

std::uint64_t NextPartBytes(const PartCut& cut) {
  constexpr int kMostDivided = 1'000;  // An object may have 10,000 parts.
  // The first part of each connection. Were the second ones divided too, all connections would be out of step until the
  // end, which is not known before the last buffer is there: 8 % of the time of 1 GiB.
  const bool is_beginning = static_cast<std::uint64_t>(cut.number) <= cut.concurrency;
  if (cut.number > kMostDivided || (!is_beginning && !cut.is_ended)) return cut.left;
  const std::uint64_t share = std::max(kLeastPartBytes, DivideUp(cut.queued, cut.concurrency));
  // The object's last part may be shorter than others.
  const std::uint64_t parts = (cut.left + (cut.is_last_buffer ? share / 2 : 0)) / share;
  const std::uint64_t each = DivideUp(cut.left, std::max<std::uint64_t>(parts, 1));
  return std::min(cut.left, std::max(each, kLeastPartBytes));
}

void PartQueue::Add(std::shared_ptr<PartBuffer> buffer) {
  queued_ += buffer->size;
  buffers_.push_back(std::move(buffer));
}

std::optional<QueuedPart> PartQueue::Next() {
  if (buffers_.empty()) return std::nullopt;
  const std::shared_ptr<PartBuffer>& buffer = buffers_.front();
  const auto bytes = static_cast<std::size_t>(NextPartBytes({.left = buffer->size - taken_,
                                                             .queued = queued_,
                                                             .number = cut_ + 1,
                                                             .concurrency = concurrency_,
                                                             .is_ended = is_ended_,
                                                             .is_last_buffer = is_ended_ && buffers_.size() == 1}));
  QueuedPart part{++cut_, buffer->bytes().subspan(taken_, bytes), buffer};
  taken_ += bytes;
  queued_ -= bytes;
  if (taken_ == buffer->size) {
    buffers_.pop_front();
    taken_ = 0;
  }
  return part;
}

}  // namespace gcsflux::internal
