#include "http/http_message.h"

#include "base/letter_case.h"

namespace gcsflux::emulator {

void HttpHeaders::Add(std::string name, std::string value) {
  constexpr std::string_view kLineEnds("\r\n\0", 3);
  if (value.find_first_of(kLineEnds) == std::string::npos) fields_.emplace_back(std::move(name), std::move(value));
}

void HttpHeaders::Remove(std::string_view lower_case_name) {
  std::erase_if(fields_, [&](const auto& field) { return IsInAnyCase(field.first, lower_case_name); });
}

const std::string* HttpHeaders::Find(std::string_view lower_case_name) const {
  for (const auto& [name, value] : fields_) {
    if (IsInAnyCase(name, lower_case_name)) return &value;
  }
  return nullptr;
}

std::optional<std::string> HttpHeaders::FindAll(std::string_view lower_case_name) const {
  std::optional<std::string> joined;
  for (const auto& [name, value] : fields_) {
    if (!IsInAnyCase(name, lower_case_name)) continue;
    joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

}  // namespace gcsflux::emulator
