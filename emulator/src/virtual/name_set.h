#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gcsflux/emulator/virtual_bucket.h"

namespace gcsflux::emulator {

/// Object names that are computed from their index in bytewise order. Pure; thread-safe.
class NameSet {
 public:
  virtual ~NameSet() = default;

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The name with `index`, which is below count(), among all in strictly increasing bytewise order. O(1).
  [[nodiscard]] virtual std::string Name(std::uint64_t index) const = 0;

  /// The first index at or after `from` whose name is not before `name`; count() if there is none. Costs O(log(index -
  /// from)) names.
  [[nodiscard]] std::uint64_t LowerBound(std::string_view name, std::uint64_t from = 0) const;

 protected:
  explicit NameSet(std::uint64_t count) : count_(count) {}

 private:
  const std::uint64_t count_;
};

/// `count` names of that shape, at most kMaxVirtualObjects. The same arguments give the same names.
std::unique_ptr<const NameSet> MakeNameSet(NamePattern pattern, std::uint64_t count, std::uint64_t seed);

}  // namespace gcsflux::emulator
