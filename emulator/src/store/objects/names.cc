#include "store/objects/names.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxObjectName = 1024;
constexpr std::size_t kMaxBucketComponent = 63;
constexpr std::size_t kMaxBucketName = 222;

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool LooksLikeIpAddress(std::string_view name) {
  return std::count(name.begin(), name.end(), '.') == 3 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

bool IsBucketName(std::string_view name) {
  if (name.size() < 3 || name.size() > kMaxBucketName) return false;
  if (!IsLowerOrDigit(name.front()) || !IsLowerOrDigit(name.back())) return false;
  std::size_t component = 0;
  for (const char c : name) {
    component = c == '.' ? 0 : component + 1;
    if (component > kMaxBucketComponent) return false;
    if (!IsLowerOrDigit(c) && c != '-' && c != '_' && c != '.') return false;
  }
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return !name.starts_with("goog") && !has("google") && !has("..") && !LooksLikeIpAddress(name);
}

// The length of the well-formed character at the front of `text`, or 0.
std::size_t Utf8CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const std::uint8_t second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Outcome<void> CheckBucketName(std::string_view name) {
  if (IsBucketName(name)) return {};
  return Fail(FailureKind::kInvalid, IsUtf8(name) ? "Invalid bucket name: '" + std::string(name) + "'"
                                                  : std::string("Invalid bucket name: it is not UTF-8"));
}

Outcome<void> CheckObjectName(std::string_view name) {
  if (name.empty()) return Fail(FailureKind::kInvalid, "Required object name is empty.");
  if (name.size() > kMaxObjectName) {
    return Fail(FailureKind::kInvalid, "The maximum object length is 1024 characters, but got a name with " +
                                           std::to_string(name.size()) + " characters.");
  }
  if (!IsUtf8(name)) return Fail(FailureKind::kInvalid, "Disallowed unicode characters present in object name.");
  if (name.find_first_of("\r\n") != std::string_view::npos) {
    return Fail(FailureKind::kInvalid, "Disallowed characters (CR or LF) present in object name.");
  }
  if (name == "." || name == ".." || name.starts_with(".well-known/acme-challenge/")) {
    return Fail(FailureKind::kInvalid, "Disallowed object name: '" + std::string(name) + "'");
  }
  return {};
}

}  // namespace gcsflux::emulator
