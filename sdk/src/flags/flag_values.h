#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "gcsflux/result.h"

// Converts the values of flags, and makes the errors for wrong ones.
namespace gcsflux::internal {

/// kInvalidArgument.
inline Error WrongFlag(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

/// kInvalidArgument if the value is not in the flag's range (base/option_range.h), which must have one.
Result<void> CheckFlag(const std::string& flag, double value);

/// Seconds from `least` (0 or 0.001) to a year.
Result<std::chrono::milliseconds> MillisecondsOfFlag(const std::string& flag, double seconds, double least);

template <class T>
struct NamedValue {
  const char* name;
  T value;
};

/// The value of that name. The message of an error lists the allowed names.
template <class T, std::size_t N>
Result<T> ValueNamed(const std::string& flag, const std::string& name, const NamedValue<T> (&names)[N]) {
  std::string all;
  for (const auto& [known, value] : names) {
    if (name == known) return value;
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  return WrongFlag("flag --" + flag + " cannot be '" + name + "': it takes " + all);
}

}  // namespace gcsflux::internal
