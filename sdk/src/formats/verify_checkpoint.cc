#include <string>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::uint64_t kBatch = 16 << 20;

class Verification {
 public:
  Verification(const StoredCheckpoint& checkpoint, const std::function<void(const VerifiedStorage&)>& on_storage)
      : checkpoint_(checkpoint), on_storage_(on_storage) {}

  Result<VerifyReport> Run() {
    const std::size_t count = checkpoint_.storages().size();
    for (std::size_t i = 0; i < count;) {
      const std::size_t end = EndOfBatch(i);
      auto done = end > i + 1 ? VerifyTogether(i, end) : VerifyAlone(i);
      if (!done) return done.error();
      i = end;
    }
    return report_;
  }

 private:
  [[nodiscard]] std::size_t EndOfBatch(std::size_t first) const {
    std::uint64_t held = 0;
    std::size_t end = first;
    while (end < checkpoint_.storages().size()) {
      const std::uint64_t bytes = checkpoint_.storages()[end].bytes;
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
      buffers.emplace_back(static_cast<std::size_t>(checkpoint_.storages()[i].bytes), '\0');
    }
    std::vector<StorageRead> reads;
    for (std::size_t i = begin; i < end; ++i) {
      reads.push_back({i, std::as_writable_bytes(std::span(buffers[i - begin]))});
    }
    const auto read = checkpoint_.ReadStorages(reads);
    if (!read) {  // Single reads then show which one is damaged.
      for (std::size_t i = begin; i < end; ++i) {
        if (auto done = VerifyAlone(i); !done) return done;
      }
      return {};
    }
    for (const StorageRead& one : reads) Tell({.storage = one.storage, .crc32c = internal::ExtendCrc32c(0, one.into)});
    return {};
  }

  Result<void> VerifyAlone(std::size_t storage) {
    VerifiedStorage verified{.storage = storage};
    auto read = checkpoint_.StreamStorage(storage, [&](std::span<const std::byte> bytes) {
      verified.crc32c = internal::ExtendCrc32c(verified.crc32c, bytes);
      return Result<void>();
    });
    if (!read) {
      const bool is_damage = read.error().code == ErrorCode::kCorrupted || read.error().code == ErrorCode::kUndecodable;
      if (!is_damage) return read;
      verified = {.storage = storage, .crc32c = 0, .is_verified = false, .damage = read.error()};
    }
    Tell(std::move(verified));
    return {};
  }

  void Tell(VerifiedStorage verified) {
    const std::uint64_t bytes = checkpoint_.storages()[verified.storage].bytes;
    verified.is_verified = !verified.damage && checkpoint_.IsVerifiable(verified.storage);
    ++report_.storages;
    report_.bytes += bytes;
    if (verified.damage) ++report_.damaged;
    if (verified.is_verified) report_.verified_bytes += bytes;
    if (on_storage_) on_storage_(verified);
  }

  const StoredCheckpoint& checkpoint_;
  const std::function<void(const VerifiedStorage&)>& on_storage_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> VerifyCheckpoint(const StoredCheckpoint& checkpoint,
                                      const std::function<void(const VerifiedStorage&)>& on_storage) {
  return Verification(checkpoint, on_storage).Run();
}

}  // namespace gcsflux
