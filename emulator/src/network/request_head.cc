#include "network/request_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kAlphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

constexpr std::array<bool, 256> TableOf(std::string_view others) {
  std::array<bool, 256> table{};
  for (const char c : kAlphanumeric) table[static_cast<unsigned char>(c)] = true;
  for (const char c : others) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr std::array<bool, 256> kInName = TableOf("!#$%&'*+-.^_`|~");       // RFC 9110: tchar
constexpr std::array<bool, 256> kInHost = TableOf("-._~!$&'()*+,;=%");      // RFC 3986: reg-name
constexpr std::array<bool, 256> kInAddress = TableOf("-._~!$&'()*+,;=%:");  // between brackets

bool HasOnly(std::string_view text, const std::array<bool, 256>& table) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return table[static_cast<unsigned char>(c)]; });
}

std::string_view Trim(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return text.empty() || (error == std::errc() && end == text.data() + text.size() && port <= 65535);
}

// "name", "name:port" or "[address]:port".
bool IsHost(std::string_view host) {
  const bool is_address = host.starts_with('[');
  const std::size_t end = is_address ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos) return false;
  const std::string_view name = host.substr(is_address ? 1 : 0, is_address ? end - 1 : end);
  std::string_view rest = host.substr(is_address ? end + 1 : end);
  if (name.empty() || !HasOnly(name, is_address ? kInAddress : kInHost)) return false;
  if (rest.empty()) return true;
  const bool has_port = rest.starts_with(':');
  rest.remove_prefix(1);
  return has_port && IsPort(rest);
}

constexpr std::array<std::string_view, 8> kMethods = {"GET",    "HEAD",    "POST",  "PUT",
                                                      "DELETE", "OPTIONS", "PATCH", "TRACE"};
constexpr std::size_t kMaxTarget = std::size_t{32} << 10;  // the service accepts URLs of 16 KiB in lists

// The next line without its CRLF. Nothing if it does not end in one.
std::optional<std::string_view> TakeLine(std::string_view& head) {
  const std::size_t end = head.find('\r');
  if (end == std::string_view::npos || !head.substr(end).starts_with("\r\n")) return std::nullopt;
  const std::string_view line = head.substr(0, end);
  if (line.find('\n') != std::string_view::npos || line.find('\0') != std::string_view::npos) return std::nullopt;
  head.remove_prefix(end + 2);
  return line;
}

std::string_view TakeWord(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

// Bytes above ASCII are no URL's either, but clients send names in UTF-8, and all readers agree on them.
bool IsInTarget(char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f' && c != '#'; }

std::optional<ApiError> Malformed(const std::string& why) {
  return ApiError{400, "badRequest", "The request's head is malformed: " + why + "."};
}

// "http://host/path" becomes "/path". Returns the host, or nothing if there is none.
std::optional<std::string> TakeOrigin(std::string& target) {
  const std::size_t scheme = target.starts_with("http://") ? 7 : target.starts_with("https://") ? 8 : 0;
  if (scheme == 0) return std::nullopt;
  const std::size_t path = std::min(target.find_first_of("/?", scheme), target.size());
  std::string host = target.substr(scheme, path - scheme);
  target.erase(0, path);
  if (!target.starts_with('/')) target.insert(0, "/");
  return host;
}

std::optional<ApiError> ReadRequestLine(std::string_view line, RequestHead& head) {
  head.request.method = TakeWord(line);
  head.request.target = TakeWord(line);
  head.is_1_0 = line == "HTTP/1.0";
  const auto& [method, target, headers] = head.request;
  if (!head.is_1_0 && line != "HTTP/1.1") return Malformed("the first line is not METHOD TARGET HTTP/1.1");
  if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) return Malformed("the method is unknown");
  if (target.size() > kMaxTarget) return ApiError{414, "badRequest", "The request's target is too long."};
  if (!std::all_of(target.begin(), target.end(), IsInTarget)) {
    return Malformed("the target has a character that must be percent-encoded");
  }
  return std::nullopt;
}

std::optional<ApiError> ReadField(std::string_view line, HttpHeaders& headers) {
  if (line.starts_with(' ') || line.starts_with('\t')) return Malformed("a header line continues the one before it");
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, std::min(colon, line.size()));
  if (colon == std::string_view::npos || name.empty() || !HasOnly(name, kInName)) {
    return Malformed("a header field has no name");
  }
  headers.Add(std::string(name), std::string(Trim(line.substr(colon + 1))));
  return std::nullopt;
}

std::optional<ApiError> CheckHost(RequestHead& head) {
  HttpHeaders& headers = head.request.headers;
  std::optional<std::string> host = headers.FindAll("host");
  if (host && !IsHost(*host)) return Malformed("the Host is not valid");  // two of them are joined by ", "
  if (!host && !head.is_1_0) return Malformed("the Host is missing");
  if (const std::optional<std::string> origin = TakeOrigin(head.request.target)) {
    if (!IsHost(*origin)) return Malformed("the target's host is not valid");
    headers.Remove("host");
    headers.Add("Host", *origin);
  }
  if (!head.request.target.starts_with('/')) return Malformed("the target is not a path");
  return std::nullopt;
}

// Whether one of the field's words, separated by commas, is this one.
bool HasWord(std::string_view words, std::string_view lower_case) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    if (IsInAnyCase(Trim(word), lower_case)) return true;
    words.remove_prefix(std::min(word.size() + 1, words.size()));
  }
  return false;
}

}  // namespace

ApiResult<RequestHead> ParseRequestHead(std::string_view text) {
  RequestHead head;
  for (bool is_first = true; true; is_first = false) {
    const std::optional<std::string_view> line = TakeLine(text);
    if (!line) return tl::unexpected(*Malformed("a line does not end in CRLF"));
    if (line->empty() && !is_first) break;
    const auto fault = is_first ? ReadRequestLine(*line, head) : ReadField(*line, head.request.headers);
    if (fault) return tl::unexpected(*fault);
  }
  if (const auto fault = CheckHost(head)) return tl::unexpected(*fault);
  const std::string connection = head.request.headers.FindAll("connection").value_or("");
  head.closes = HasWord(connection, "close") || (head.is_1_0 && !HasWord(connection, "keep-alive"));
  return head;
}

}  // namespace gcsflux::emulator
