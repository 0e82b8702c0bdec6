#include "store/body.h"

#include <utility>

#include "store/crc32c.h"

namespace gcsflux::emulator {

Body::Body(Rope bytes) : bytes_(std::move(bytes)) {
  bytes_.ForEachSpan(0, bytes_.size(), [this](std::span<const std::byte> span) {
    crc32c_ = ExtendCrc32c(crc32c_, span);
    return true;
  });
}

Body::Body(std::shared_ptr<const ComputedBytes> bytes) : bytes_(bytes), computed_(bytes.get()) {}

const Md5Digest& Body::md5() const {
  std::call_once(md5_once_, [this] {
    md5_ = ComputeMd5(bytes_);
    has_md5_.store(true, std::memory_order_release);
  });
  return md5_;
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
