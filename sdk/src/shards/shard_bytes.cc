#include "shards/shard_bytes.h"

#include <utility>

namespace gcsflux::internal {

Result<std::unique_ptr<ShardBytes>> ShardBytes::Open(const Client& client, const DownloadSource& source,
                                                     const ObjectReaderOptions& options,
                                                     std::shared_ptr<DiskCache> cache) {
  std::unique_ptr<ShardBytes> bytes(new ShardBytes(client, source, options, std::move(cache)));
  if (bytes->cache_) bytes->cached_ = bytes->cache_->Find(source);
  if (bytes->cached_) return bytes;
  if (auto opened = bytes->OpenReader(); !opened) return opened.error();
  return bytes;
}

Result<void> ShardBytes::OpenReader() {
  auto reader = ObjectReader::Open(client_, source_, options_);
  if (!reader) return reader.error();
  reader_.emplace(*std::move(reader));
  reader_->Seek(position_);
  return {};
}

Result<std::span<const std::byte>> ShardBytes::Next() {
  if (cached_) {
    if (const auto block = cached_->Next()) {
      position_ += block->size();
      return *block;
    }
    cached_.reset();
    if (auto opened = OpenReader(); !opened) return opened.error();
  }
  auto view = reader_->NextView();
  if (!view) return view;
  if (cache_ && position_ == 0 && !view->empty()) kept_ = cache_->Begin(source_);
  if (kept_) kept_->Append(*view);
  position_ += view->size();
  return view;
}

Result<void> ShardBytes::Finish() {
  if (!reader_) return {};
  if (auto verified = reader_->VerifyWhole(); !verified) return verified;
  if (const auto kept = std::exchange(kept_, nullptr)) kept->Commit();
  return {};
}

}  // namespace gcsflux::internal
