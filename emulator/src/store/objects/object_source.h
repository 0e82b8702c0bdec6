#pragma once

#include <cstdint>
#include <string_view>

#include "store/objects/object.h"

namespace gcsflux::emulator {

/// Objects that a bucket holds without storing them, in bytewise order of their names, which differ.
///
/// They never change, so what it answers needs no lock. Thread-safe.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  [[nodiscard]] virtual std::uint64_t count() const = 0;

  /// The first index at or behind `from` whose name is not before `name`; count() where there is none.
  /// Costs O(log(index - from)).
  [[nodiscard]] virtual std::uint64_t LowerBound(std::string_view name, std::uint64_t from) const = 0;

  /// The object with that index, which is below count().
  [[nodiscard]] virtual ObjectPtr At(std::uint64_t index) const = 0;

  /// Null where there is none of that name.
  [[nodiscard]] virtual ObjectPtr Find(std::string_view name) const = 0;
};

}  // namespace gcsflux::emulator
