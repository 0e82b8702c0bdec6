#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "gcsflux/emulator/distribution.h"
#include "settings/flat_json.h"
#include "settings/number_text.h"

namespace gcsflux::emulator {

/// One field of a struct of settings: its name, its member, and the range of its numbers.
template <class Settings>
struct SettingsField {
  std::string_view name;
  std::variant<double Settings::*, std::optional<double> Settings::*, bool Settings::*, std::uint64_t Settings::*,
               Distribution Settings::*>
      member;
  double least = 0;
  double most = 1e9;
};

/// The value that `text` stands for, in the type of `current`. Throws std::invalid_argument.
inline double ParseSetting(std::string_view text, double /*current*/, double least, double most) {
  const auto number = ParseNumber<double>(text);
  if (!number || !(*number >= least && *number <= most)) {
    throw std::invalid_argument("'" + std::string(text) + "' is not a number from " + NumberText(least) + " to " +
                                NumberText(most));
  }
  return *number;
}

inline std::optional<double> ParseSetting(std::string_view text, std::optional<double> /*current*/, double least,
                                          double most) {
  return text.empty() ? std::nullopt : std::optional(ParseSetting(text, 0.0, least, most));
}

inline bool ParseSetting(std::string_view text, bool /*current*/, double /*least*/, double /*most*/) {
  if (text == "true" || text == "false") return text == "true";
  throw std::invalid_argument("'" + std::string(text) + "' is neither true nor false");
}

inline std::uint64_t ParseSetting(std::string_view text, std::uint64_t /*current*/, double /*least*/, double /*most*/) {
  const auto number = ParseNumber<std::uint64_t>(text);
  if (!number) throw std::invalid_argument("'" + std::string(text) + "' is not a whole number from 0 to 2^64 - 1");
  return *number;
}

inline Distribution ParseSetting(std::string_view text, const Distribution& /*current*/, double /*least*/,
                                 double /*most*/) {
  try {
    return Distribution::Parse(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("'" + std::string(text) + "' " + error.what());
  }
}

/// The inverse of ParseSetting(), and the same in JSON.
inline std::string SettingText(double value) { return NumberText(value); }
inline std::string SettingText(const std::optional<double>& value) { return value ? NumberText(*value) : ""; }
inline std::string SettingText(bool value) { return value ? "true" : "false"; }
inline std::string SettingText(std::uint64_t value) { return std::to_string(value); }
inline std::string SettingText(const Distribution& value) { return value.text(); }

inline bool IsJsonAsItIs(const Distribution& value) { return value.is_fixed(); }
template <class Value>
bool IsJsonAsItIs(const Value& /*value*/) {
  return true;
}

/// Sets the field of that name; returns false if there is none. If the text is wrong, throws std::invalid_argument,
/// which names the field, and changes nothing.
template <class Settings>
bool AssignField(std::span<const SettingsField<Settings>> fields, Settings& settings, std::string_view name,
                 std::string_view text) {
  for (const auto& field : fields) {
    if (field.name != name) continue;
    try {
      std::visit([&](auto member) { settings.*member = ParseSetting(text, settings.*member, field.least, field.most); },
                 field.member);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string(name) + ": " + error.what());
    }
    return true;
  }
  return false;
}

/// If a field has a value that no text can give, throws std::invalid_argument, which names the field.
template <class Settings>
void CheckFields(std::span<const SettingsField<Settings>> fields, const Settings& settings) {
  Settings scratch;
  for (const auto& field : fields) {
    const std::string text = std::visit([&](auto member) { return SettingText(settings.*member); }, field.member);
    AssignField(fields, scratch, field.name, text);
  }
}

/// Reads settings from a JSON object. Fields that are missing have the values that `profile` gives for the member
/// "profile", else the defaults. Throws std::invalid_argument, which names line and field.
template <class Settings, class Profile>
Settings ParseFields(std::span<const SettingsField<Settings>> fields, std::string_view json, Profile&& profile) {
  const std::vector<JsonMember> members = ParseFlatJson(json);
  Settings settings;
  const auto assign = [&](const JsonMember& member, auto&& how) {
    try {
      how();
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("line " + std::to_string(member.line) + ": " + error.what());
    }
  };
  for (const JsonMember& member : members) {
    if (member.name == "profile") assign(member, [&] { settings = profile(member.text); });
  }
  for (const JsonMember& member : members) {
    if (member.name == "profile") continue;
    assign(member, [&] {
      if (AssignField(fields, settings, member.name, member.text)) return;
      throw std::invalid_argument(member.name + ": is not a known field");
    });
  }
  return settings;
}

/// The members of a JSON object: "name":value,"name":value.
template <class Settings>
std::string RenderFields(std::span<const SettingsField<Settings>> fields, const Settings& settings) {
  std::string json;
  for (const auto& field : fields) {
    std::visit(
        [&](auto member) {
          const std::string text = SettingText(settings.*member);
          const bool is_bare = IsJsonAsItIs(settings.*member);
          json += (json.empty() ? "\"" : ",\"") + std::string(field.name) + "\":";
          json += text.empty() ? "null" : is_bare ? text : "\"" + text + "\"";
        },
        field.member);
  }
  return json;
}

}  // namespace gcsflux::emulator
