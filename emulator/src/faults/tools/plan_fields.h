#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "gcsflux/emulator/faults.h"

namespace gcsflux::emulator {

/// A field of a plan's structs: its name in JSON, its member, and the range of its value.
template <class Struct>
struct PlanField {
  using Member = std::variant<std::optional<std::string> Struct::*, std::optional<std::uint64_t> Struct::*,
                              std::optional<std::int64_t> Struct::*, std::optional<double> Struct::*,
                              std::optional<std::chrono::nanoseconds> Struct::*, std::optional<bool> Struct::*>;
  std::string_view name = {};
  Member member = {};
  /// Of whole numbers.
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

inline constexpr std::array kMatchFields = {
    PlanField<FaultMatch>{"operation", &FaultMatch::operation},
    PlanField<FaultMatch>{"phase", &FaultMatch::phase},
    PlanField<FaultMatch>{"method", &FaultMatch::method},
    PlanField<FaultMatch>{"bucket", &FaultMatch::bucket},
    PlanField<FaultMatch>{"objectPrefix", &FaultMatch::object_prefix},
    PlanField<FaultMatch>{"objectGlob", &FaultMatch::object_glob},
    PlanField<FaultMatch>{"attempt", &FaultMatch::attempt, 1},
    PlanField<FaultMatch>{"coversByte", &FaultMatch::covers_byte},
    PlanField<FaultMatch>{"nth", &FaultMatch::nth, 1},
    PlanField<FaultMatch>{"every", &FaultMatch::every, 1},
    PlanField<FaultMatch>{"probability", &FaultMatch::probability},
};

inline constexpr std::array kActionFields = {
    PlanField<FaultAction>{"status", &FaultAction::status, 200, 599},
    PlanField<FaultAction>{"body", &FaultAction::body},
    PlanField<FaultAction>{"contentType", &FaultAction::content_type},
    PlanField<FaultAction>{"retryAfter", &FaultAction::retry_after},
    PlanField<FaultAction>{"afterBytes", &FaultAction::after_bytes},
    PlanField<FaultAction>{"atByte", &FaultAction::at_byte},
    PlanField<FaultAction>{"keepBytes", &FaultAction::keep_bytes},
    PlanField<FaultAction>{"lengthDelta", &FaultAction::length_delta},
    PlanField<FaultAction>{"duration", &FaultAction::duration},
    PlanField<FaultAction>{"bytesPerSecond", &FaultAction::bytes_per_second, 1, 10'000'000'000},
    PlanField<FaultAction>{"resets", &FaultAction::resets},
    PlanField<FaultAction>{"matchingHashes", &FaultAction::matching_hashes},
};

inline constexpr std::array kLimitFields = {
    PlanField<FaultLimits>{"count", &FaultLimits::count, 1},
    PlanField<FaultLimits>{"notBefore", &FaultLimits::not_before},
    PlanField<FaultLimits>{"notAfter", &FaultLimits::not_after},
};

template <class Struct>
bool IsSet(const Struct& object, const PlanField<Struct>& field) {
  return std::visit([&](auto member) { return (object.*member).has_value(); }, field.member);
}

/// What is wrong with a value that is set.
std::optional<std::string> CheckRange(std::uint64_t value, std::uint64_t least, std::uint64_t most);
std::optional<std::string> CheckTime(std::chrono::nanoseconds value);

template <class Struct>
std::optional<std::string> CheckField(const Struct& object, const PlanField<Struct>& field) {
  if (!IsSet(object, field)) return std::nullopt;
  if (const auto* number = std::get_if<std::optional<std::uint64_t> Struct::*>(&field.member)) {
    return CheckRange(*(object.**number), field.least, field.most);
  }
  if (const auto* time = std::get_if<std::optional<std::chrono::nanoseconds> Struct::*>(&field.member)) {
    return CheckTime(*(object.**time));
  }
  return std::nullopt;
}

}  // namespace gcsflux::emulator
