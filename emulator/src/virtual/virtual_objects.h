#pragma once

#include <memory>
#include <span>

#include "gcsflux/emulator/virtual_bucket.h"
#include "store/objects/object_source.h"
#include "virtual/name_set.h"

namespace gcsflux::emulator {

/// A virtual bucket's objects. Thread-safe.
class VirtualObjects final : public ObjectSource {
 public:
  /// `bucket` must be valid: see CheckVirtualBuckets().
  explicit VirtualObjects(const VirtualBucket& bucket);

  [[nodiscard]] std::uint64_t count() const override { return names_->count(); }
  [[nodiscard]] std::uint64_t LowerBound(std::string_view name, std::uint64_t from) const override;
  [[nodiscard]] ObjectPtr At(std::uint64_t index) const override;
  [[nodiscard]] ObjectPtr Find(std::string_view name) const override;

 private:
  [[nodiscard]] std::uint64_t SizeOf(std::uint64_t index) const;

  const VirtualBucket bucket_;
  const std::unique_ptr<const NameSet> names_;
  const std::shared_ptr<const ObjectAttributes> attributes_;
  const Time time_created_;
};

/// If a value is out of range or a name occurs twice, throws std::invalid_argument, which names the bucket and the
/// field.
void CheckVirtualBuckets(std::span<const VirtualBucket> buckets);

}  // namespace gcsflux::emulator
