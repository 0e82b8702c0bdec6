#include "identity/json_fields.h"

#include <stdexcept>
#include <utility>

namespace gcsflux::emulator {

JsonFields::JsonFields(const nlohmann::json& value, std::string path) : object_(&value), path_(std::move(path)) {
  if (!value.is_object()) {
    throw std::invalid_argument("auth config: " + (path_.empty() ? "" : path_ + ": ") + "must be a JSON object");
  }
}

std::string JsonFields::String(const std::string& name) {
  std::optional<std::string> value = OptionalString(name);
  if (!value) Refuse(name, "is missing");
  return *std::move(value);
}

std::optional<std::string> JsonFields::OptionalString(const std::string& name) {
  const nlohmann::json* value = Take(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) Refuse(name, "must be a string");
  if (value->get_ref<const std::string&>().empty()) Refuse(name, "must not be empty");
  return value->get<std::string>();
}

std::optional<std::int64_t> JsonFields::OptionalInteger(const std::string& name) {
  const nlohmann::json* value = Take(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer()) Refuse(name, "must be a whole number");
  return value->get<std::int64_t>();
}

std::vector<std::string> JsonFields::Strings(const std::string& name) {
  const nlohmann::json* value = Take(name);
  if (value == nullptr) return {};
  if (!value->is_array()) Refuse(name, "must be an array");
  std::vector<std::string> strings;
  for (const nlohmann::json& element : *value) {
    if (!element.is_string()) Refuse(name + "[" + std::to_string(strings.size()) + "]", "must be a string");
    strings.push_back(element.get<std::string>());
  }
  return strings;
}

std::vector<JsonFields> JsonFields::Objects(const std::string& name) {
  const nlohmann::json* value = Take(name);
  if (value == nullptr) return {};
  if (!value->is_array()) Refuse(name, "must be an array");
  std::vector<JsonFields> objects;
  for (const nlohmann::json& element : *value) {
    objects.emplace_back(element, PathOf(name) + "[" + std::to_string(objects.size()) + "]");
  }
  return objects;
}

std::optional<JsonFields> JsonFields::OptionalObject(const std::string& name) {
  const nlohmann::json* value = Take(name);
  return value != nullptr ? std::optional(JsonFields(*value, PathOf(name))) : std::nullopt;
}

void JsonFields::RefuseOthers() const {
  for (const auto& [name, value] : object_->items()) {
    if (!taken_.contains(name)) Refuse(name, "is not a known field");
  }
}

void JsonFields::Refuse(const std::string& name, const std::string& why) const {
  throw std::invalid_argument("auth config: " + PathOf(name) + ": " + why);
}

const nlohmann::json* JsonFields::Take(const std::string& name) {
  taken_.insert(name);
  const auto found = object_->find(name);
  return found != object_->end() ? &*found : nullptr;
}

std::string JsonFields::PathOf(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

}  // namespace gcsflux::emulator
