#include "read_cases/fields.h"

namespace gcsflux::conformance {

void Problem::Note(const std::string& where, std::string_view what) {
  if (text_.empty()) text_ = where + ": " + std::string(what);
}

Fields::Fields(const Json& object, std::string path, Problem& problem)
    : object_(object.is_object() ? object : empty_), path_(std::move(path)), problem_(problem) {
  if (!object.is_object()) problem_.Note(path_, "must be an object");
}

const Json* Fields::Find(const std::string& key) {
  known_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

std::string Fields::RequiredText(const std::string& key) {
  std::string text = Text(key);
  if (text.empty()) Note(key, "must be there, and not empty");
  return text;
}

std::string Fields::Text(const std::string& key, std::string fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  Note(key, "must be a string");
  return fallback;
}

bool Fields::Bool(const std::string& key, bool fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) Note(key, "must be true or false");
  return *value == true;
}

std::uint64_t Fields::Number(const std::string& key, std::uint64_t fallback) {
  const Json* value = Find(key);
  if (value == nullptr) return fallback;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  Note(key, "must be a number that is not negative");
  return fallback;
}

std::vector<std::string> Fields::Texts(const std::string& key) {
  const Json* value = Find(key);
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (!value->is_array() || value->empty()) Note(key, "must be a list that is not empty");
  for (const Json& element : *value) {
    if (!element.is_string()) Note(key, "must hold strings only");
    texts.push_back(element.is_string() ? element.get<std::string>() : "");
  }
  return texts;
}

void Fields::RefuseOthers() {
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key)) Note(key, "is not a field of the schema");
  }
}

std::string Fields::PathOf(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

}  // namespace gcsflux::conformance
