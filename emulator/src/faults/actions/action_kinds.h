#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "faults/tools/action_kind.h"

/// Every kind of fault. Each is defined in a file of its own in this directory. To add one, add its file and a line
/// here.
#define GCSFLUX_FAULT_KINDS(KIND) \
  KIND(kCorrupt)                  \
  KIND(kCorruptUpload)            \
  KIND(kCut)                      \
  KIND(kExpiredToken)             \
  KIND(kFailUpload)               \
  KIND(kFalseLength)              \
  KIND(kHtmlError)                \
  KIND(kLoseAnswer)               \
  KIND(kLoseSession)              \
  KIND(kOmitRange)                \
  KIND(kReset)                    \
  KIND(kShortPersist)             \
  KIND(kStall)                    \
  KIND(kStallUpload)              \
  KIND(kStatus)                   \
  KIND(kTrickle)

namespace gcsflux::emulator {

#define GCSFLUX_DECLARE_KIND(kind) extern const ActionKind kind;
GCSFLUX_FAULT_KINDS(GCSFLUX_DECLARE_KIND)
#undef GCSFLUX_DECLARE_KIND

/// Null if there is none.
const ActionKind* FindActionKind(std::string_view type);
std::span<const ActionKind* const> AllActionKinds();

/// What is wrong with the action's fields.
std::optional<FieldComplaint> CheckAction(const FaultAction& action);

/// `action` has passed CheckAction().
std::unique_ptr<Interceptor> MakeInterceptor(const FaultAction& action, std::shared_ptr<Firing> firing);

}  // namespace gcsflux::emulator
