#include "network/shielded_head.h"

#include <algorithm>
#include <array>

#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kShield = "x-shielded-";
constexpr std::array<std::string_view, 3> kShieldedNames = {"range", "accept-encoding", "expect"};

bool IsShieldedName(std::string_view name) {
  return std::any_of(kShieldedNames.begin(), kShieldedNames.end(),
                     [&](std::string_view lower) { return IsInAnyCase(name, lower); });
}

void AppendReplacing(std::string& out, std::string_view text, char replaced, std::string_view replacement) {
  for (const char c : text) {
    if (c == replaced) {
      out += replacement;
    } else {
      out += c;
    }
  }
}

void AppendRequestLine(std::string& out, std::string_view line) {
  const std::size_t query = std::min(line.find('?'), line.size());
  out += line.substr(0, query);
  if (query == line.size()) return;
  out += '?';
  AppendReplacing(out, line.substr(query + 1), '?', "%3F");
}

void AppendField(std::string& out, std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  if (IsShieldedName(name)) out += kShield;
  out += name;
  AppendReplacing(out, line.substr(colon), '%', "%25");
}

}  // namespace

std::string ShieldHead(std::string_view head) {
  std::string shielded;
  shielded.reserve(head.size() + 64);
  for (bool is_first = true; !head.empty(); is_first = false) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end == std::string_view::npos ? head.size() : end + 1);
    is_first ? AppendRequestLine(shielded, line) : AppendField(shielded, line);
    head.remove_prefix(line.size());
  }
  return shielded;
}

std::string TakeLongTarget(std::string& head) {
  constexpr std::size_t kLong = 8192;  // CPPHTTPLIB_REQUEST_URI_MAX_LENGTH
  constexpr std::size_t kTooLong = std::size_t{32} << 10;
  const std::string_view line = std::string_view(head).substr(0, head.find('\r'));
  const std::size_t begin = line.find(' ') + 1;
  const std::size_t end = line.rfind(' ');
  if (begin == 0 || end < begin || end - begin <= kLong || end - begin > kTooLong) return {};
  if (line[begin] != '/') return {};
  std::string target(line.substr(begin, end - begin));
  if (target.find(' ') != std::string::npos) return {};
  head.replace(begin, target.size(), "/");
  return target;
}

std::string_view UnshieldedName(std::string_view name) {
  return name.starts_with(kShield) ? name.substr(kShield.size()) : name;
}

}  // namespace gcsflux::emulator
