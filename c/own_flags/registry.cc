#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "gflags/gflags.h"

namespace gflags {
namespace {

using Value = std::variant<bool*, std::int32_t*, std::int64_t*, std::uint64_t*, double*, std::string*>;

template <class T>
std::string TextOf(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }
}

template <class T>
std::optional<T> ValueOf(std::string_view text) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    constexpr std::array<std::string_view, 4> kTrue{"1", "t", "true", "yes"};
    constexpr std::array<std::string_view, 4> kFalse{"0", "f", "false", "no"};
    const bool is_true = std::ranges::find(kTrue, text) != kTrue.end();
    return is_true || std::ranges::find(kFalse, text) != kFalse.end() ? std::optional(is_true) : std::nullopt;
  } else {
    T value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }
}

struct Flag {
  CommandLineFlagInfo info = {};  // Its current value is that of `value`.
  Value value = {};
};

// Filled before main(), or when the library is loaded. Never destroyed.
std::map<std::string, Flag, std::less<>>& Flags() {
  static auto& flags = *new std::map<std::string, Flag, std::less<>>();
  return flags;
}

CommandLineFlagInfo InfoOf(const Flag& flag) {
  CommandLineFlagInfo info = flag.info;
  info.current_value = std::visit([](const auto* value) { return TextOf(*value); }, flag.value);
  return info;
}

bool Set(Flag& flag, std::string_view text) {
  return std::visit(
      [&]<class T>(T* value) {
        auto read = ValueOf<T>(text);
        if (read) *value = *std::move(read);
        return read.has_value();
      },
      flag.value);
}

}  // namespace

template <class T>
OwnFlag::OwnFlag(const char* name, const char* type, T* value, const char* description, const char* file) {
  Flags()[name] = {.info = {.name = name,
                            .type = type,
                            .description = description,
                            .default_value = TextOf(*value),
                            .filename = file},
                   .value = value};
}
template OwnFlag::OwnFlag(const char*, const char*, bool*, const char*, const char*);
template OwnFlag::OwnFlag(const char*, const char*, std::int32_t*, const char*, const char*);
template OwnFlag::OwnFlag(const char*, const char*, std::int64_t*, const char*, const char*);
template OwnFlag::OwnFlag(const char*, const char*, std::uint64_t*, const char*, const char*);
template OwnFlag::OwnFlag(const char*, const char*, double*, const char*, const char*);
template OwnFlag::OwnFlag(const char*, const char*, std::string*, const char*, const char*);

bool GetCommandLineFlagInfo(const char* name, CommandLineFlagInfo* info) {
  const auto found = Flags().find(std::string_view(name));
  if (found == Flags().end()) return false;
  *info = InfoOf(found->second);
  return true;
}

CommandLineFlagInfo GetCommandLineFlagInfoOrDie(const char* name) {
  CommandLineFlagInfo info;
  GetCommandLineFlagInfo(name, &info);
  return info;
}

void GetAllFlags(std::vector<CommandLineFlagInfo>* flags) {
  for (const auto& [name, flag] : Flags()) flags->push_back(InfoOf(flag));
}

std::string SetCommandLineOption(const char* name, const char* value) {
  const auto found = Flags().find(std::string_view(name));
  if (found == Flags().end() || !Set(found->second, value)) return "";
  found->second.info.is_default = false;
  return std::string(name) + " set\n";
}

void ResetFlags() {
  for (auto& [name, flag] : Flags()) {
    Set(flag, flag.info.default_value);
    flag.info.is_default = true;
  }
}

}  // namespace gflags
