#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

#include "gcsflux/options.h"
#include "gcsflux/result.h"

// Sets options to the values of flags, and makes the errors for wrong ones.
namespace gcsflux::internal {

/// kInvalidArgument.
inline Error WrongFlag(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

/// A flag, and the option that it sets. A number must have a range (base/option_range.h). Times are flags in seconds.
struct FlagOption {
  std::string flag;
  std::variant<bool*, int*, std::uint64_t*, double*, std::string*, std::chrono::milliseconds*, std::chrono::seconds*>
      option;
};

/// Sets the options. Returns kInvalidArgument for the first flag that is out of its range.
Result<void> ReadFlags(std::initializer_list<FlagOption> options);

/// The text of an existing flag.
std::string TextOfFlag(const std::string& flag);

template <class T>
struct NamedValue {
  const char* name;
  T value;
};

/// Sets the option to the value that the flag names. The message of an error lists the allowed names.
template <class T, std::size_t N>
Result<void> ReadNamed(const std::string& flag, T& option, const NamedValue<T> (&names)[N]) {
  const std::string name = TextOfFlag(flag);
  std::string all;
  for (const auto& [known, value] : names) {
    if (name == known) return option = value, Result<void>();
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  return WrongFlag("flag --" + flag + " cannot be '" + name + "': it takes " + all);
}

/// The defaults of flags are those of their options.
constexpr double InSeconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }
constexpr std::int64_t AsInt64(std::uint64_t number) { return static_cast<std::int64_t>(number); }

// What ClientOptionsFromFlags() consists of. Each group of flags has its own file.
Result<void> SetCredentialsFromFlags(ClientOptions& options);
Result<void> SetRetriesFromFlags(ClientOptions& options);
Result<void> SetNetworkFromFlags(ClientOptions& options);
/// The trace is opened once, and shared.
Result<void> SetEventListenerFromFlags(ClientOptions& options);

}  // namespace gcsflux::internal
