#include "case/placeholders.h"

#include <algorithm>
#include <optional>

namespace gcsflux::conformance {
namespace {

constexpr std::string_view kEncodedSuffix = "|encoded";

struct Placeholder {
  std::size_t begin;  ///< Of the opening brace.
  std::size_t end;    ///< One past the closing brace.
  std::string_view name;
  bool is_encoded;
};

bool IsIdentifier(std::string_view text) {
  const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::all_of(text.begin(), text.end(), is_part);
}

std::optional<Placeholder> NextPlaceholder(std::string_view text, std::size_t from) {
  for (std::size_t begin = text.find('{', from); begin != text.npos; begin = text.find('{', begin + 1)) {
    const std::size_t close = text.find('}', begin);
    if (close == text.npos) return std::nullopt;
    std::string_view name = text.substr(begin + 1, close - begin - 1);
    const bool is_encoded = name.size() > kEncodedSuffix.size() && name.ends_with(kEncodedSuffix);
    if (is_encoded) name.remove_suffix(kEncodedSuffix.size());
    if (IsIdentifier(name)) return Placeholder{begin, close + 1, name, is_encoded};
  }
  return std::nullopt;
}

std::string PercentEncode(std::string_view text) {
  static constexpr std::string_view kUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kUnreserved.find(c) != kUnreserved.npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return encoded;
}

}  // namespace

std::string Substitute(std::string_view text, const Variables& variables) {
  std::string filled;
  std::size_t done = 0;
  while (const auto placeholder = NextPlaceholder(text, done)) {
    filled += text.substr(done, placeholder->begin - done);
    const auto variable = variables.find(placeholder->name);
    if (variable == variables.end()) {
      filled += text.substr(placeholder->begin, placeholder->end - placeholder->begin);
    } else {
      filled += placeholder->is_encoded ? PercentEncode(variable->second) : variable->second;
    }
    done = placeholder->end;
  }
  return filled += text.substr(done);
}

Json SubstituteInside(const Json& value, const Variables& variables) {
  if (value.is_string()) return Substitute(value.get_ref<const std::string&>(), variables);
  Json filled = value;
  if (value.is_structured()) {
    for (auto& element : filled) element = SubstituteInside(element, variables);
  }
  return filled;
}

std::string UndefinedVariable(std::string_view text, const std::set<std::string, std::less<>>& defined) {
  std::size_t done = 0;
  while (const auto placeholder = NextPlaceholder(text, done)) {
    if (!defined.contains(placeholder->name)) return std::string(placeholder->name);
    done = placeholder->end;
  }
  return {};
}

std::string UndefinedVariableInside(const Json& value, const std::set<std::string, std::less<>>& defined) {
  if (value.is_string()) return UndefinedVariable(value.get_ref<const std::string&>(), defined);
  if (!value.is_structured()) return {};
  for (const auto& element : value) {
    if (std::string name = UndefinedVariableInside(element, defined); !name.empty()) return name;
  }
  return {};
}

}  // namespace gcsflux::conformance
