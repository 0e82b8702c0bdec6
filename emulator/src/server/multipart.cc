#include "server/multipart.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "server/http_message.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMaxMetadata = std::uint64_t{1} << 20;

tl::unexpected<ApiError> Malformed(const char* what) {
  return tl::unexpected(BadRequest(std::string("Malformed multipart body: ") + what));
}

// Finds a string whose first character does not occur in it again, such as CR and a boundary: so after a mismatch
// the search goes on at the mismatch itself, and segments need not be joined.
std::optional<std::uint64_t> Find(const Rope& rope, std::uint64_t from, std::string_view needle) {
  std::uint64_t position = from;
  std::size_t matched = 0;
  const bool is_missing = rope.ForEachSpan(from, rope.size() - from, [&](std::span<const std::byte> span) {
    const auto* at = reinterpret_cast<const char*>(span.data());
    const char* const end = at + span.size();
    while (at != end && matched != needle.size()) {
      if (matched == 0) {
        const auto* first = static_cast<const char*>(std::memchr(at, needle[0], static_cast<std::size_t>(end - at)));
        at = first != nullptr ? first : end;
      }
      for (; at != end && matched != needle.size() && *at == needle[matched]; ++at) ++matched;
      if (at != end && matched != needle.size()) matched = 0;
    }
    position += static_cast<std::uint64_t>(at - reinterpret_cast<const char*>(span.data()));
    return matched != needle.size();
  });
  if (is_missing) return std::nullopt;
  return position - needle.size();
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::string> Boundary(std::string_view content_type) {
  while (true) {
    const std::size_t semicolon = content_type.find(';');
    if (semicolon == std::string_view::npos) return std::nullopt;
    content_type = Trim(content_type.substr(semicolon + 1));
    constexpr std::string_view kName = "boundary=";
    if (!content_type.starts_with(kName)) continue;
    std::string_view value = content_type.substr(kName.size());
    const bool is_quoted = value.starts_with('"');
    if (is_quoted) value.remove_prefix(1);
    value = Trim(value.substr(0, value.find(is_quoted ? '"' : ';')));
    if (value.empty() || value.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
    return std::string(value);
  }
}

HttpHeaders ParsePartHeaders(std::string_view block) {
  HttpHeaders headers;
  while (!block.empty()) {
    const std::string_view line = block.substr(0, std::min(block.find("\r\n"), block.size()));
    block.remove_prefix(std::min(line.size() + 2, block.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.Add(std::string(Trim(line.substr(0, colon))), std::string(Trim(line.substr(colon + 1))));
  }
  return headers;
}

struct PartHead {
  HttpHeaders headers = {};
  std::uint64_t content = 0;  // where it begins
};

// The head of the part whose delimiter ends at `begin`.
std::optional<PartHead> ParsePartHead(const Rope& body, std::uint64_t begin) {
  const std::optional<std::uint64_t> delimiter_end = Find(body, begin, "\r\n");
  if (!delimiter_end) return std::nullopt;
  PartHead head;
  head.content = *delimiter_end + 2;
  // Either an empty line follows at once, or header lines do.
  if (body.Slice(head.content, std::min<std::uint64_t>(2, body.size() - head.content)).ToString() == "\r\n") {
    head.content += 2;
    return head;
  }
  std::uint64_t line = head.content;
  while (true) {
    const std::optional<std::uint64_t> line_end = Find(body, line, "\r\n");
    if (!line_end || *line_end - head.content > kMaxMetadata) return std::nullopt;
    if (*line_end == line) break;
    line = *line_end + 2;
  }
  head.headers = ParsePartHeaders(body.Slice(head.content, line - head.content).ToString());
  head.content = line + 2;
  return head;
}

struct Content {
  Rope bytes = {};
  std::uint64_t end = 0;  // just behind the delimiter that ends it
};

std::optional<Content> FindContent(const Rope& body, const PartHead& head, std::string_view delimiter) {
  // The line break before a delimiter belongs to it; that of an empty part is the one that ended its headers.
  const std::optional<std::uint64_t> end = Find(body, head.content - 2, delimiter);
  if (!end) return std::nullopt;
  Rope bytes = *end >= head.content ? body.Slice(head.content, *end - head.content) : Rope();
  return Content{std::move(bytes), *end + delimiter.size()};
}

// All that comes before the media.
struct Preface {
  std::string delimiter = {};
  std::string metadata = {};
  PartHead media = {};
};

ApiResult<Preface> ParsePreface(std::string_view content_type, const Rope& body) {
  if (!content_type.starts_with("multipart/related")) return Malformed("its Content-Type is not multipart/related.");
  const std::optional<std::string> boundary = Boundary(content_type);
  if (!boundary) return Malformed("its Content-Type has no boundary.");
  const std::string delimiter = "\r\n--" + *boundary;

  const std::string first_line = "--" + *boundary;
  const bool starts_at_once =
      body.Slice(0, std::min<std::uint64_t>(first_line.size(), body.size())).ToString() == first_line;
  const std::optional<std::uint64_t> first = starts_at_once ? 0 : Find(body, 0, delimiter);
  if (!first) return Malformed("the boundary does not occur.");
  const std::uint64_t begin = *first + (starts_at_once ? first_line.size() : delimiter.size());

  const std::optional<PartHead> head = ParsePartHead(body, begin);
  const std::optional<Content> metadata = head ? FindContent(body, *head, delimiter) : std::nullopt;
  if (!metadata || metadata->bytes.size() > kMaxMetadata) return Malformed("its first part does not end.");
  std::optional<PartHead> media = ParsePartHead(body, metadata->end);
  if (!media) return Malformed("its second part does not end.");
  return Preface{delimiter, metadata->bytes.ToString(), *std::move(media)};
}

}  // namespace

std::optional<std::uint64_t> FindMedia(std::string_view content_type, const Rope& beginning) {
  const ApiResult<Preface> preface = ParsePreface(content_type, beginning);
  return preface ? std::optional(preface->media.content) : std::nullopt;
}

ApiResult<MultipartRelated> ParseMultipartRelated(std::string_view content_type, const Rope& body) {
  const ApiResult<Preface> preface = ParsePreface(content_type, body);
  if (!preface) return tl::unexpected(preface.error());
  std::optional<Content> media = FindContent(body, preface->media, preface->delimiter);
  if (!media) return Malformed("its second part does not end.");
  if (body.Slice(media->end, std::min<std::uint64_t>(2, body.size() - media->end)).ToString() != "--") {
    return Malformed("it does not end with its second part.");
  }
  const std::string* media_type = preface->media.headers.Find("content-type");
  return MultipartRelated{.metadata = preface->metadata,
                          .media_content_type = media_type != nullptr ? *media_type : std::string(),
                          .media_begin = preface->media.content,
                          .media = std::move(media->bytes)};
}

}  // namespace gcsflux::emulator
