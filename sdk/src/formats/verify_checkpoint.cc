#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "formats/checkpoint_reader.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::uint64_t kBatch = 16 << 20;
constexpr std::string_view kNone = "a storage without a tensor";

class Verification {
 public:
  Verification(const StoredCheckpoint& checkpoint, const std::function<void(const VerifiedStorage&)>& on_storage)
      : reader_(checkpoint.reader()), names_(reader_.storages().size(), kNone), on_storage_(on_storage) {
    for (const StoredTensor& tensor : reader_.tensors()) {
      std::string_view& name = names_[tensor.layout.storage];
      if (name.data() == kNone.data()) name = tensor.name;
    }
  }

  Result<std::vector<VerifiedStorage>> Run() {
    const std::size_t count = reader_.storages().size();
    for (std::size_t i = 0; i < count;) {
      const std::size_t end = EndOfBatch(i);
      auto done = end > i + 1 ? VerifyTogether(i, end) : VerifyAlone(i);
      if (!done) return done.error();
      i = end;
    }
    return std::move(all_);
  }

 private:
  [[nodiscard]] std::size_t EndOfBatch(std::size_t first) const {
    std::uint64_t held = 0;
    std::size_t end = first;
    while (end < reader_.storages().size()) {
      const std::uint64_t bytes = reader_.storages()[end].bytes;
      held += bytes + sizeof(std::string) + sizeof(StorageRead);
      if (end > first && (bytes > kSmall || held > kBatch)) break;
      ++end;
      if (bytes > kSmall) break;
    }
    return end;
  }

  // Small storages with one call of the source.
  Result<void> VerifyTogether(std::size_t begin, std::size_t end) {
    std::vector<std::string> buffers;
    for (std::size_t i = begin; i < end; ++i) {
      buffers.emplace_back(static_cast<std::size_t>(reader_.storages()[i].bytes), '\0');
    }
    std::vector<StorageRead> reads;
    for (std::size_t i = begin; i < end; ++i) {
      reads.push_back({i, std::as_writable_bytes(std::span(buffers[i - begin]))});
    }
    const auto read = reader_.ReadStorages(reads);
    if (!read) {  // Single reads then show which one is damaged.
      for (std::size_t i = begin; i < end; ++i) {
        if (auto done = VerifyAlone(i); !done) return done;
      }
      return {};
    }
    for (const StorageRead& one : reads) Tell(one.storage, {.crc32c = internal::ExtendCrc32c(0, one.into)});
    return {};
  }

  Result<void> VerifyAlone(std::size_t storage) {
    VerifiedStorage verified;
    auto read = reader_.StreamStorage(storage, [&](std::span<const std::byte> bytes) {
      verified.crc32c = internal::ExtendCrc32c(verified.crc32c, bytes);
      return Result<void>();
    });
    if (!read) {
      const bool is_damage = read.error().code == ErrorCode::kCorrupted || read.error().code == ErrorCode::kUndecodable;
      if (!is_damage) return read;
      verified = {.damage = read.error()};
    }
    Tell(storage, std::move(verified));
    return {};
  }

  void Tell(std::size_t storage, VerifiedStorage verified) {
    verified.tensor = names_[storage];
    verified.bytes = reader_.storages()[storage].bytes;
    verified.is_verified = !verified.damage && reader_.IsVerifiable(storage);
    if (on_storage_) on_storage_(verified);
    all_.push_back(std::move(verified));
  }

  const internal::CheckpointReader& reader_;
  std::vector<std::string_view> names_;  // Of the first tensor in each storage.
  const std::function<void(const VerifiedStorage&)>& on_storage_;
  std::vector<VerifiedStorage> all_;
};

}  // namespace

Result<std::vector<VerifiedStorage>> VerifyCheckpoint(const StoredCheckpoint& checkpoint,
                                                      const std::function<void(const VerifiedStorage&)>& on_storage) {
  return Verification(checkpoint, on_storage).Run();
}

}  // namespace gcsflux
