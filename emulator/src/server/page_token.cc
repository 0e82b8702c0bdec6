#include "server/page_token.h"

#include <algorithm>

#include "server/base64.h"
#include "store/names.h"

namespace gcsflux::emulator {
namespace {

constexpr char kBehindName = 'n';
constexpr char kBehindPrefix = 'p';

}  // namespace

std::string EncodePageToken(const ListPosition& position) {
  const std::string plain = (position.is_prefix ? kBehindPrefix : kBehindName) + position.text;
  std::string token = EncodeBase64(plain);
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
  if ((kind != kBehindName && kind != kBehindPrefix) || !IsUtf8(*plain)) return std::nullopt;
  return ListPosition{kind == kBehindPrefix, plain->substr(1)};
}

}  // namespace gcsflux::emulator
