#include "transfer/downloader/source_window.h"

#include <iterator>
#include <utility>

namespace gcsflux::internal {

SourceWindow::SourceWindow(std::span<const DownloadSource> all) : known_(all.size()) {
  if (!all.empty()) blocks_.emplace(0, Block{.sources = all, .kept = all.size()});
}

SourceWindow::SourceWindow(std::vector<DownloadSource>&& all) : known_(all.size()) {
  if (all.empty()) return;
  Block& block = blocks_[0];
  block.owned = std::move(all);
  block.sources = block.owned;
  block.kept = block.sources.size();
}

std::map<std::size_t, SourceWindow::Block>::const_iterator SourceWindow::Find(std::size_t index) const {
  return std::prev(blocks_.upper_bound(index));
}

SourceWindow::Rest SourceWindow::From(std::size_t index) {
  const MutexLock lock(mutex_);
  if (index == known_ && feed_) {
    Block block{.owned = feed_->Next()};
    block.sources = block.owned;
    block.kept = block.sources.size();
    const std::size_t count = block.kept;
    if (count > 0) blocks_.emplace(known_, std::move(block));
    known_ += count;
  }
  if (index == known_) return {.is_over = !feed_ || feed_->is_over()};
  const auto block = Find(index);
  // The sources of later blocks are not loaded: a block is requested when the previous one is used up.
  return {.sources = block->second.sources.subspan(index - block->first), .expected = feed_ ? feed_->expected() : 0};
}

std::span<const DownloadSource> SourceWindow::Of(std::size_t first, std::size_t count) const {
  const MutexLock lock(mutex_);
  const auto block = Find(first);
  return block->second.sources.subspan(first - block->first, count);
}

void SourceWindow::Drop(std::size_t index) {
  if (!feed_) return;
  const MutexLock lock(mutex_);
  const auto block = blocks_.find(Find(index)->first);
  if (--block->second.kept == 0) blocks_.erase(block);
}

}  // namespace gcsflux::internal
