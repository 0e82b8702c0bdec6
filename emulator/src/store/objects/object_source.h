#pragma once

#include <cstdint>
#include <string_view>

#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Objects that a bucket has without storing them, in bytewise order of their names, which differ.
///
/// They never change, so no lock is needed. Thread-safe.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  [[nodiscard]] virtual std::uint64_t count() const = 0;

  /// The first index at or after `from` whose name is not before `name`; count() if there is none. Costs O(log(index -
  /// from)).
  [[nodiscard]] virtual std::uint64_t LowerBound(std::string_view name, std::uint64_t from) const = 0;

  /// The object with that index, which is below count().
  [[nodiscard]] virtual ObjectPtr At(std::uint64_t index) const = 0;

  /// Null if there is none of that name.
  [[nodiscard]] virtual ObjectPtr Find(std::string_view name) const = 0;
};

}  // namespace gcsflux::emulator
