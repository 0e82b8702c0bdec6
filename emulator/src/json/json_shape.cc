#include "json/json_shape.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

bool IsA(const json& value, const std::string& word) {
  if (word == "string") return value.is_string();
  if (word == "boolean") return value.is_boolean();
  if (word == "integer") return value.is_number_integer();
  return ToInt64(value).has_value();
}

std::optional<std::string> FindInMembers(const json& value, const json& shape) {
  const auto any = shape.find("*");
  for (const auto& [name, member] : value.items()) {
    const auto own = shape.find(name);
    const auto& expected = own != shape.end() ? own : any;
    if (expected == shape.end()) continue;
    if (const auto inside = FindMisfit(member, *expected)) return inside->empty() ? name : name + "." + *inside;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMisfit(const json& value, const json& shape) {
  if (shape.is_string()) return IsA(value, shape.get<std::string>()) ? std::nullopt : std::optional<std::string>("");
  if (shape.is_object()) return value.is_object() ? FindInMembers(value, shape) : std::optional<std::string>("");
  if (!value.is_array()) return "";
  for (const json& element : value) {
    if (auto misfit = FindMisfit(element, shape.front())) return misfit;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ToInt64(const json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace gcsflux::emulator
