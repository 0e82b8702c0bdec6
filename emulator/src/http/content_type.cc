#include "http/content_type.h"

#include <algorithm>

#include "http/trim.h"

namespace gcsflux::emulator {
namespace {

bool IsSameWord(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

// The end of the parameter. A semicolon in quotes belongs to the value.
std::size_t EndOfParameter(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == ';' && !is_quoted) return i;
  }
  return text.size();
}

}  // namespace

bool IsOfType(std::string_view content_type, std::string_view lower_case_type) {
  return IsSameWord(Trim(content_type.substr(0, content_type.find(';'))), lower_case_type);
}

std::optional<std::string> TypeParameter(std::string_view content_type, std::string_view lower_case_name) {
  content_type.remove_prefix(std::min(content_type.find(';'), content_type.size()));
  while (!content_type.empty()) {
    content_type.remove_prefix(1);
    const std::string_view parameter = content_type.substr(0, EndOfParameter(content_type));
    content_type.remove_prefix(parameter.size());
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    if (equals == parameter.size() || !IsSameWord(Trim(parameter.substr(0, equals)), lower_case_name)) continue;
    std::string_view value = Trim(parameter.substr(equals + 1));
    if (value.starts_with('"')) value = value.substr(1, value.find('"', 1) - 1);
    return value.empty() ? std::nullopt : std::optional(std::string(value));
  }
  return std::nullopt;
}

}  // namespace gcsflux::emulator
