#include "store/bytes/body.h"

#include <utility>

#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

std::uint32_t ComputeCrc32c(const Rope& bytes) {
  std::uint32_t crc32c = 0;
  bytes.ForEachSpan(0, bytes.size(), [&crc32c](std::span<const std::byte> span) {
    crc32c = ExtendCrc32c(crc32c, span);
    return true;
  });
  return crc32c;
}

// Clears the flag and wakes those who wait for it, also when an exception leaves the scope.
class Turn {
 public:
  explicit Turn(std::atomic_flag& flag) : flag_(flag) {}
  ~Turn() {
    flag_.clear(std::memory_order_release);
    flag_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic_flag& flag_;
};

}  // namespace

Body::Body(Rope bytes) : bytes_(std::move(bytes)), crc32c_(ComputeCrc32c(bytes_)) {}

Body::Body(Rope bytes, std::uint32_t crc32c, const std::optional<Md5Digest>& md5)
    : bytes_(std::move(bytes)), crc32c_(crc32c), md5_(md5 ? new Md5Digest(*md5) : nullptr) {}

Body::Body(const std::shared_ptr<const ComputedBytes>& bytes) : bytes_(bytes), computed_(bytes.get()) {}

void Body::CompareBytes() const {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{64} << 20;
  if (size() > kMostAtOnce) {
    bytes_.ForEachPiece([](const RopePiece& piece) {
      if (const auto* file = std::get_if<FileRun>(&piece.run)) file->extent->CheckReadable();
    });
    return;
  }
  if (ComputeCrc32c(bytes_) != crc32c_) throw DamagedBytes();
  is_unchecked_.store(false, std::memory_order_relaxed);
}

const Md5Digest& Body::md5() const {
  while (!has_md5()) {
    if (is_hashing_.test_and_set(std::memory_order_acquire)) {
      is_hashing_.wait(true);
      continue;
    }
    const Turn turn(is_hashing_);
    if (!has_md5()) md5_.store(new Md5Digest(ComputeMd5(bytes_)), std::memory_order_release);
  }
  return *md5_.load(std::memory_order_acquire);
}

BodyPtr ConcatenateBodies(std::span<const BodyPtr> sources) {
  Rope bytes;
  std::uint32_t crc32c = 0;
  for (const BodyPtr& source : sources) {
    bytes.Append(source->bytes());
    crc32c = CombineCrc32c(crc32c, source->crc32c(), source->size());
  }
  return std::make_shared<const Body>(std::move(bytes), crc32c);
}

}  // namespace gcsflux::emulator
