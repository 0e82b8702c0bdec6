#include "bodies/multipart_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "http/content_type.h"
#include "http/trim.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMaxHead = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxPadding = 64;  // blanks after a delimiter
constexpr std::string_view kBlanks = " \t";

// Finds a string whose first character does not occur in it again, such as a line break and a boundary. After a
// mismatch the search therefore continues at the mismatch itself, and segments need not be joined.
std::optional<std::uint64_t> Find(const Rope& rope, std::uint64_t from, std::string_view needle) {
  if (from > rope.size()) return std::nullopt;
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

void AddHeader(HttpHeaders& headers, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  headers.Add(std::string(Trim(line.substr(0, colon))), std::string(Trim(line.substr(colon + 1))));
}

// gcloud and gsutil announce '=====' and use ===== as delimiter. By HTTP, these quotes belong to the boundary, so the
// body decides.
bool IsInSingleQuotes(std::string_view boundary) {
  return boundary.size() > 2 && boundary.starts_with('\'') && boundary.ends_with('\'');
}

}  // namespace

std::optional<MultipartReader> MultipartReader::Make(std::string_view content_type, std::string_view type,
                                                     const Rope& body) {
  if (!IsOfType(content_type, type)) return std::nullopt;
  std::optional<std::string> boundary = TypeParameter(content_type, "boundary");
  if (!boundary || boundary->find_first_of("\r\n") != std::string::npos) return std::nullopt;
  MultipartReader reader(body, *boundary);
  std::optional<Delimiter> first = reader.DelimiterAt(0, 0);
  if (!first && IsInSingleQuotes(*boundary)) {
    reader.boundary_ = boundary->substr(1, boundary->size() - 2);
    first = reader.DelimiterAt(0, 0);
  }
  for (const std::string& candidate : {reader.boundary_, *boundary}) {
    if (first) break;
    reader.boundary_ = candidate;
    first = reader.FindBehindPreamble();
  }
  reader.Begin(first);
  return reader;
}

std::optional<MultipartReader::Delimiter> MultipartReader::FindBehindPreamble() {
  line_break_ = "\n";
  return FindDelimiter(0);
}

void MultipartReader::Begin(const std::optional<Delimiter>& first) {
  if (!first || !first->is_line_whole) return;
  line_break_ = first->ends_in_crlf ? "\r\n" : "\n";
  next_part_ = first->next;
  is_at_end_ = first->is_last;
}

std::string MultipartReader::TextAt(std::uint64_t offset, std::uint64_t size) const {
  if (offset >= body_.size()) return {};
  return body_.Slice(offset, std::min(size, body_.size() - offset)).ToString();
}

// The delimiter whose dashes were found, if it is one. Only two dashes or blanks may follow the boundary; else it is a
// longer word.
std::optional<MultipartReader::Delimiter> MultipartReader::DelimiterAt(std::uint64_t line_break,
                                                                       std::uint64_t dashes) const {
  const std::string delimiter = "--" + boundary_;
  if (TextAt(dashes, delimiter.size()) != delimiter) return std::nullopt;
  const std::uint64_t behind = dashes + delimiter.size();
  const std::string rest = TextAt(behind, 2 + kMaxPadding + 2);
  const std::size_t dash_count = rest.starts_with("--") ? 2 : 0;
  const std::size_t end = std::min(rest.find_first_not_of(kBlanks, dash_count), rest.size());
  const std::string_view line_end = std::string_view(rest).substr(end);
  const bool ends_in_crlf = line_end.starts_with("\r\n");
  const bool is_line_whole = ends_in_crlf || line_end.starts_with('\n');
  const bool is_body_over = behind + end == body_.size();
  if (dash_count == 0 && !is_line_whole && !is_body_over) return std::nullopt;
  return Delimiter{.begin = line_break,
                   .next = behind + end + (ends_in_crlf ? 2 : 1),
                   .is_last = dash_count == 2,
                   .is_line_whole = is_line_whole,
                   .ends_in_crlf = ends_in_crlf};
}

std::optional<MultipartReader::Delimiter> MultipartReader::FindDelimiter(std::uint64_t from) const {
  const std::string needle = line_break_ + "--" + boundary_;
  while (const std::optional<std::uint64_t> found = Find(body_, from, needle)) {
    if (auto delimiter = DelimiterAt(*found, *found + line_break_.size())) return delimiter;
    from = *found + line_break_.size();
  }
  return std::nullopt;
}

std::optional<MultipartReader::Head> MultipartReader::NextHead() {
  if (!next_part_ || is_at_end_) return std::nullopt;
  Head head;
  // Lines of a head may end in either way: a CR has no meaning in it.
  for (std::uint64_t line = *next_part_;;) {
    const std::optional<std::uint64_t> line_end = Find(body_, line, "\n");
    if (!line_end || *line_end - *next_part_ > kMaxHead) return std::nullopt;
    std::string text = TextAt(line, *line_end - line);
    if (text.ends_with('\r')) text.pop_back();
    line = head.content = *line_end + 1;
    if (text.empty()) return head;
    AddHeader(head.headers, text);
  }
}

std::optional<Rope> MultipartReader::Content(const Head& head) {
  // The line break before a delimiter belongs to the delimiter. If a part is empty, it is the one that ended the head.
  std::optional<Delimiter> end = DelimiterAt(head.content, head.content);
  if (!end) end = FindDelimiter(head.content);
  if (!end) return std::nullopt;
  is_at_end_ = end->is_last;
  next_part_ = end->is_line_whole ? std::optional(end->next) : std::nullopt;
  return body_.Slice(head.content, end->begin - head.content);
}

}  // namespace gcsflux::emulator
