#include "wire/read_response.h"

#include <charconv>
#include <string>
#include <string_view>

#include "base/base64.h"

namespace gcsflux::internal {
namespace {

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

struct ContentRange {
  std::uint64_t begin;
  std::uint64_t total;
};

// "bytes 0-9/100"
std::optional<ContentRange> ParseContentRange(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const auto dash = text.find('-');
  const auto slash = text.find('/');
  if (!text.starts_with(kUnit) || dash == std::string_view::npos || slash == std::string_view::npos)
    return std::nullopt;
  const auto begin = ParseNumber<std::uint64_t>(text.substr(kUnit.size(), dash - kUnit.size()));
  const auto total = ParseNumber<std::uint64_t>(text.substr(slash + 1));
  if (!begin || !total) return std::nullopt;
  return ContentRange{*begin, *total};
}

}  // namespace

std::optional<std::uint32_t> FindCrc32c(const Headers& headers) {
  constexpr std::string_view kKey = "crc32c=";
  for (const auto& [name, value] : headers) {
    const auto found = value.find(kKey);
    if (name != "x-goog-hash" || found == std::string::npos) continue;
    const std::string_view rest = std::string_view(value).substr(found + kKey.size());
    return Crc32cFromBase64(rest.substr(0, rest.find(',')));
  }
  return std::nullopt;
}

Result<ReadResponseInfo> ParseReadResponse(const HttpResponse& response) {
  const auto missing = [](const char* what) {
    return Error{ErrorCode::kBadResponse, std::string("the answer has no usable ") + what + " header"};
  };
  ReadResponseInfo info{.crc32c = FindCrc32c(response.headers)};
  const auto generation = ParseNumber<std::int64_t>(FindHeader(response.headers, "x-goog-generation"));
  if (!generation) return missing("x-goog-generation");
  info.generation = *generation;
  info.is_gzip = FindHeader(response.headers, "x-goog-stored-content-encoding") == "gzip";
  if (response.status == 206) {
    const auto range = ParseContentRange(FindHeader(response.headers, "content-range"));
    if (!range) return missing("Content-Range");
    info.offset = range->begin;
    info.object_size = range->total;
    return info;
  }
  auto size = ParseNumber<std::uint64_t>(FindHeader(response.headers, "x-goog-stored-content-length"));
  if (!size) size = ParseNumber<std::uint64_t>(FindHeader(response.headers, "content-length"));
  if (!size) return missing("x-goog-stored-content-length");
  info.object_size = *size;
  return info;
}

}  // namespace gcsflux::internal
