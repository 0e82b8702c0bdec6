#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "faults/tools/firing.h"
#include "gcsflux/emulator/faults.h"
#include "interventions/intervention.h"

namespace gcsflux::emulator {

/// What is wrong with a field, which has its name in JSON.
struct FieldComplaint {
  std::string field = {};
  std::string text = {};
};

/// What one type of action needs and does. Each lives in a file of its own in actions/; action_kinds.h lists them.
struct ActionKind {
  std::string_view type = {};
  /// Names of fields, as in JSON.
  std::span<const std::string_view> required = {};
  std::span<const std::string_view> optional = {};
  /// Does it to a request, and asks `firing` before.
  std::unique_ptr<Intervention> (*make)(const FaultAction& action, std::shared_ptr<Firing> firing) = nullptr;
  /// What is wrong beyond the fields' own ranges; null where nothing can be.
  std::optional<FieldComplaint> (*check)(const FaultAction& action) = nullptr;
};

/// What an ActionKind's `make` is where T is the intervention.
template <class T>
std::unique_ptr<Intervention> MakeA(const FaultAction& action, std::shared_ptr<Firing> firing) {
  return std::make_unique<T>(action, std::move(firing));
}

}  // namespace gcsflux::emulator
