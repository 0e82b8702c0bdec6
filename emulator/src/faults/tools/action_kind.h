#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "faults/tools/firing.h"
#include "gcsflux/emulator/faults.h"
#include "middleware/interceptor.h"

namespace gcsflux::emulator {

/// What is wrong with a field; `field` is its name in JSON.
struct FieldComplaint {
  std::string field = {};
  std::string text = {};
};

/// What one type of action needs, and what it does. Each is in a file of its own in actions/; action_kinds.h lists
/// them.
struct ActionKind {
  std::string_view type = {};
  /// Names of fields, as in JSON.
  std::span<const std::string_view> required = {};
  std::span<const std::string_view> optional = {};
  /// Makes the interceptor, which asks `firing` before it acts.
  std::unique_ptr<Interceptor> (*make)(const FaultAction& action, std::shared_ptr<Firing> firing) = nullptr;
  /// What is wrong beyond the fields' own ranges. Null if nothing can be.
  std::optional<FieldComplaint> (*check)(const FaultAction& action) = nullptr;
};

/// An ActionKind's `make`, for the interceptor T.
template <class T>
std::unique_ptr<Interceptor> MakeA(const FaultAction& action, std::shared_ptr<Firing> firing) {
  return std::make_unique<T>(action, std::move(firing));
}

}  // namespace gcsflux::emulator
