#include "faults/engine/fault_key.h"

#include <string>

namespace gcsflux::emulator {
namespace {

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, of the fields, with separators between them.
class Hash {
 public:
  Hash& Add(std::string_view text) {
    Add(text.size());
    for (const char c : text) AddByte(static_cast<unsigned char>(c));
    return *this;
  }
  Hash& Add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) AddByte(static_cast<unsigned char>(number >> shift));
    return *this;
  }
  Hash& Add(const FaultKey& key) {
    Add(key.operation).Add(key.phase).Add(key.bucket).Add(key.object);
    return Add(std::uint64_t{key.range_start.has_value()}).Add(key.range_start.value_or(0));
  }

  // FNV's high bits depend little on the last bytes; SplitMix64's last step spreads them.
  [[nodiscard]] std::uint64_t Value() const {
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

 private:
  void AddByte(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3; }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace

FaultKey KeyOf(const RequestPreview& preview) {
  const RequestSubject& subject = preview.subject;
  // A read of an object's bytes without a range begins at the first byte. A request that reads no bytes has no
  // beginning.
  const bool is_whole_read = preview.is_media_read && !preview.range_start;
  return {.operation = std::string(subject.operation),
          .phase = std::string(subject.phase),
          .bucket = subject.bucket,
          .object = subject.object,
          .range_start = is_whole_read ? 0 : preview.range_start};
}

std::uint64_t HashKey(const FaultKey& key) { return Hash().Add(key).Value(); }

double Chance(std::uint64_t seed, std::string_view rule, const FaultKey& key) {
  const std::uint64_t hash = Hash().Add(seed).Add(rule).Add(key).Add(key.arrival).Value();
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

}  // namespace gcsflux::emulator
