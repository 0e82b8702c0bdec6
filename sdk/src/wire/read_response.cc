#include "wire/read_response.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/text/base64.h"
#include "wire/single_header.h"

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
  std::uint64_t last;
  std::uint64_t total;
};

// "bytes 0-9/100"
std::optional<ContentRange> ParseContentRange(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const auto dash = text.find('-');
  const auto slash = text.find('/');
  if (!text.starts_with(kUnit) || dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto begin = ParseNumber<std::uint64_t>(text.substr(kUnit.size(), dash - kUnit.size()));
  const auto last = ParseNumber<std::uint64_t>(text.substr(dash + 1, slash - dash - 1));
  const auto total = ParseNumber<std::uint64_t>(text.substr(slash + 1));
  if (!begin || !last || !total || *begin > *last || *last >= *total) return std::nullopt;
  return ContentRange{*begin, *last, *total};
}

Error Unusable(const char* header) {
  return Error{ErrorCode::kBadResponse, std::string("the answer has no usable ") + header + " header"};
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Adds the content of one x-goog-hash header to that of the others.
Result<void> ReadHashes(std::string_view list, std::optional<std::uint32_t>& crc32c) {
  constexpr std::string_view kCrc32c = "crc32c=";
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view hash = Trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (hash.find('=') == std::string_view::npos) return Unusable("x-goog-hash");
    if (!hash.starts_with(kCrc32c)) continue;
    const auto found = Crc32cFromBase64(hash.substr(kCrc32c.size()));
    if (!found) return Unusable("x-goog-hash");
    if (crc32c && *crc32c != *found) return Error{ErrorCode::kBadResponse, "the answer has two different CRC32Cs"};
    crc32c = found;
  }
  return {};
}

// Of a whole object. If there is a stored length, Content-Length only describes the body.
Result<std::uint64_t> FindSize(const Headers& headers) {
  auto said = SingleHeader(headers, "x-goog-stored-content-length");
  if (said && said->empty()) said = SingleHeader(headers, "content-length");
  if (!said) return said.error();
  const auto size = ParseNumber<std::uint64_t>(*said);
  if (!size) return Unusable("x-goog-stored-content-length");
  return *size;
}

// If a proxy has removed the header of the stored encoding, HTTP's own says how the body is encoded. If a proxy has
// compressed the body, its bytes are not those that were asked for.
Result<bool> IsGzip(const Headers& headers) {
  const auto stored = SingleHeader(headers, "x-goog-stored-content-encoding");
  const auto sent = SingleHeader(headers, "content-encoding");
  if (!stored) return stored.error();
  if (!sent) return sent.error();
  if (stored->empty()) return *sent == "gzip";
  if (*sent == "gzip" && *sent != *stored) {
    return Error{ErrorCode::kBadResponse, "the answer was compressed on its way: its object is not stored with gzip"};
  }
  return *stored == "gzip";
}

// Whether the announced length of the body is not the one that the answer's other headers give it.
Result<bool> HasOtherLength(const Headers& headers, std::uint64_t length) {
  const auto said = SingleHeader(headers, "content-length");
  if (!said) return said.error();
  const auto announced = ParseNumber<std::uint64_t>(*said);
  return announced && *announced != length;
}

}  // namespace

Result<std::optional<std::uint32_t>> FindCrc32c(const Headers& headers) {
  std::optional<std::uint32_t> crc32c;
  for (const auto& [name, value] : headers) {
    if (name != "x-goog-hash") continue;
    if (auto read = ReadHashes(value, crc32c); !read) return read.error();
  }
  return crc32c;
}

Result<std::optional<std::int64_t>> FindGeneration(const Headers& headers) {
  const auto said = SingleHeader(headers, "x-goog-generation");
  if (!said) return said.error();
  if (said->empty()) return std::optional<std::int64_t>();
  const auto generation = ParseNumber<std::int64_t>(*said);
  if (!generation || *generation <= 0) return Unusable("x-goog-generation");
  return generation;
}

Result<ReadResponseInfo> ParseReadResponse(const HttpResponse& response) {
  const auto crc32c = FindCrc32c(response.headers);
  if (!crc32c) return crc32c.error();
  const auto generation = FindGeneration(response.headers);
  if (!generation) return generation.error();
  if (!*generation) return Unusable("x-goog-generation");
  const auto is_gzip = IsGzip(response.headers);
  if (!is_gzip) return is_gzip.error();
  ReadResponseInfo info{.generation = **generation, .is_gzip = *is_gzip, .crc32c = *crc32c};
  std::uint64_t length = 0;
  if (response.status == 206) {
    const auto said = SingleHeader(response.headers, "content-range");
    if (!said) return said.error();
    const auto range = ParseContentRange(*said);
    if (!range) return Unusable("Content-Range");
    info.offset = range->begin;
    info.object_size = range->total;
    length = range->last - range->begin + 1;
  } else {
    const auto size = FindSize(response.headers);
    if (!size) return size.error();
    info.object_size = length = *size;
  }
  const auto has_other = HasOtherLength(response.headers, length);
  if (!has_other) return has_other.error();
  info.has_other_length = *has_other;
  return info;
}

}  // namespace gcsflux::internal
