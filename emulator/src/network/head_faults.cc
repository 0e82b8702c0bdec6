#include "network/head_faults.h"

#include <algorithm>
#include <array>
#include <charconv>

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

struct Hosts {
  int count = 0;
  bool is_broken = false;
};

std::optional<std::string> FindFieldFault(std::string_view line, Hosts& hosts) {
  if (line.starts_with(' ') || line.starts_with('\t')) return "a header line continues the one before it";
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, std::min(colon, line.size()));
  if (colon == std::string_view::npos || name.empty() || !HasOnly(name, kInName)) return "a header field has no name";
  const std::string_view value = Trim(line.substr(colon + 1));
  if (value.empty() && IsInAnyCase(name, "content-length")) return "the Content-Length is empty";
  if (value.empty() && IsInAnyCase(name, "transfer-encoding")) return "the Transfer-Encoding is empty";
  if (IsInAnyCase(name, "host")) {
    ++hosts.count;
    hosts.is_broken = hosts.is_broken || !IsHost(value);
  }
  return std::nullopt;
}

// The next line without its CRLF. Nothing if it does not end in one.
std::optional<std::string_view> TakeLine(std::string_view& head) {
  const std::size_t end = head.find('\r');
  if (end == std::string_view::npos || !head.substr(end).starts_with("\r\n")) return std::nullopt;
  const std::string_view line = head.substr(0, end);
  if (line.find('\n') != std::string_view::npos || line.find('\0') != std::string_view::npos) return std::nullopt;
  head.remove_prefix(end + 2);
  return line;
}

}  // namespace

std::optional<std::string> FindHeadFault(std::string_view head) {
  Hosts hosts;
  bool is_1_0 = false;
  for (bool is_first = true; true; is_first = false) {
    const std::optional<std::string_view> line = TakeLine(head);
    if (!line) return "a line does not end in CRLF";
    if (line->empty()) break;
    if (is_first) {
      is_1_0 = line->ends_with(" HTTP/1.0");
    } else if (auto fault = FindFieldFault(*line, hosts)) {
      return fault;
    }
  }
  if (hosts.is_broken || hosts.count > 1) return "the Host is not valid";
  if (hosts.count == 0 && !is_1_0) return "the Host is missing";
  return std::nullopt;
}

}  // namespace gcsflux::emulator
