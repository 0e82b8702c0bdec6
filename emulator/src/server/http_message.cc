#include "server/http_message.h"

#include <algorithm>

namespace gcsflux::emulator {
namespace {

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool Matches(std::string_view name, std::string_view lower_case_name) {
  return std::equal(name.begin(), name.end(), lower_case_name.begin(), lower_case_name.end(),
                    [](char a, char b) { return ToLower(a) == b; });
}

}  // namespace

void HttpHeaders::Remove(std::string_view lower_case_name) {
  std::erase_if(fields_, [&](const auto& field) { return Matches(field.first, lower_case_name); });
}

const std::string* HttpHeaders::Find(std::string_view lower_case_name) const {
  for (const auto& [name, value] : fields_) {
    if (Matches(name, lower_case_name)) return &value;
  }
  return nullptr;
}

std::optional<std::string> HttpHeaders::FindAll(std::string_view lower_case_name) const {
  std::optional<std::string> joined;
  for (const auto& [name, value] : fields_) {
    if (!Matches(name, lower_case_name)) continue;
    joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

}  // namespace gcsflux::emulator
