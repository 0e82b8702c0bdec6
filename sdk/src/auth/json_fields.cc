#include "auth/json_fields.h"

namespace gcsflux::internal {

std::string JsonFields::Text(const char* name) {
  std::string text = OptionalText(name);
  if (text.empty()) Refuse(name, "is missing");
  return text;
}

std::string JsonFields::OptionalText(const char* name) {
  const auto* member = Find(name);
  if (member == nullptr) return "";
  if (member->is_string()) return member->get<std::string>();
  Refuse(name, "is no text");
  return "";
}

std::optional<std::int64_t> JsonFields::OptionalInteger(const char* name) {
  const auto* member = Find(name);
  if (member == nullptr) return std::nullopt;
  if (member->is_number_integer()) return member->get<std::int64_t>();
  Refuse(name, "is no whole number");
  return std::nullopt;
}

const nlohmann::json* JsonFields::OptionalObject(const char* name) {
  const auto* member = Find(name);
  if (member == nullptr || member->is_object()) return member;
  Refuse(name, "is no JSON object");
  return nullptr;
}

const nlohmann::json* JsonFields::OptionalArray(const char* name) {
  const auto* member = Find(name);
  if (member == nullptr || member->is_array()) return member;
  Refuse(name, "is no list");
  return nullptr;
}

void JsonFields::Refuse(const char* name, const std::string& why) {
  Adopt(Error{ErrorCode::kInvalidArgument, "its " + where_ + name + " " + why});
}

const nlohmann::json* JsonFields::Find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace gcsflux::internal
