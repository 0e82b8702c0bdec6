#pragma once

#include <array>

#include "faults/action_kind.h"

namespace gcsflux::emulator {

// Each is defined in the file of its name in this directory.
extern const ActionKind kCorrupt;
extern const ActionKind kCorruptUpload;
extern const ActionKind kCut;
extern const ActionKind kExpiredToken;
extern const ActionKind kFailUpload;
extern const ActionKind kFalseLength;
extern const ActionKind kHtmlError;
extern const ActionKind kLoseAnswer;
extern const ActionKind kLoseSession;
extern const ActionKind kOmitRange;
extern const ActionKind kReset;
extern const ActionKind kShortPersist;
extern const ActionKind kStall;
extern const ActionKind kStallUpload;
extern const ActionKind kStatus;
extern const ActionKind kTrickle;

/// Every type of action: the table to add one to.
inline constexpr std::array kActionKinds = {
    &kCorrupt,     &kCorruptUpload, &kCut,   &kExpiredToken, &kFailUpload, &kFalseLength, &kHtmlError, &kLoseAnswer,
    &kLoseSession, &kOmitRange,     &kReset, &kShortPersist, &kStall,      &kStallUpload, &kStatus,    &kTrickle,
};

}  // namespace gcsflux::emulator
