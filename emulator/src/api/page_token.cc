#include "api/page_token.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/base64.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

constexpr char kBehindName = 'n';
constexpr char kBehindPrefix = 'p';
constexpr char kBehindGeneration = 'g';  // then its decimal digits, a slash, and the name

std::string PlainToken(const ListPosition& position) {
  if (position.is_prefix) return kBehindPrefix + position.text;
  if (!position.generation) return kBehindName + position.text;
  return kBehindGeneration + std::to_string(*position.generation) + '/' + position.text;
}

std::optional<ListPosition> ParseGeneration(std::string_view text) {
  std::int64_t generation = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, generation);
  if (error != std::errc() || end - rest < 2 || *rest != '/') return std::nullopt;
  return ListPosition{.text = std::string(rest + 1, end), .generation = generation};
}

}  // namespace

std::string EncodePageToken(const ListPosition& position) {
  std::string token = EncodeBase64(PlainToken(position));
  std::replace(token.begin(), token.end(), '+', '-');
  std::replace(token.begin(), token.end(), '/', '_');
  token.resize(std::min(token.find('='), token.size()));
  return token;
}

std::optional<ListPosition> DecodePageToken(std::string_view token) {
  std::string padded(token);
  if (padded.find_first_of("+/=") != std::string::npos) return std::nullopt;
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  const std::optional<std::string> plain = DecodeBase64(padded);
  if (!plain || plain->size() < 2) return std::nullopt;
  const char kind = plain->front();
  if (!IsUtf8(*plain)) return std::nullopt;
  if (kind == kBehindGeneration) return ParseGeneration(std::string_view(*plain).substr(1));
  if (kind != kBehindName && kind != kBehindPrefix) return std::nullopt;
  return ListPosition{.is_prefix = kind == kBehindPrefix, .text = plain->substr(1)};
}

}  // namespace gcsflux::emulator
